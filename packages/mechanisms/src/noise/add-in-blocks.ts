/** Numbers of a block: both it and its noise stay in the first cache. */
const block = 1024;

/** `value += scale · noise` in place, the noise drawn by `fill` a block at a time. */
export function addInBlocks(value: Float64Array, scale: number, fill: (noise: Float64Array) => void): void {
  const noise = new Float64Array(Math.min(block, value.length));
  for (let from = 0; from < value.length; from += block) {
    const drawn = noise.subarray(0, Math.min(block, value.length - from));
    fill(drawn);
    for (let j = 0; j < drawn.length; j++) value[from + j] += scale * drawn[j];
  }
}
