import { addScaled, noiseMemory } from '@lethe/numerics';

/** Numbers of a block: both it and its noise stay in the first cache. */
const block = 1024;

/** `value += scale · noise` in place, the noise drawn by `fill` a block at a time. */
export function addInBlocks(value: Float64Array, scale: number, fill: (noise: Float64Array) => void): void {
  const noise = noiseMemory(value, Math.min(block, value.length));
  for (let from = 0; from < value.length; from += block) {
    const some = value.length <= block ? value : value.subarray(from, Math.min(value.length, from + block));
    const drawn = some.length === noise.length ? noise : noise.subarray(0, some.length);
    fill(drawn);
    addScaled(some, scale, drawn);
  }
}
