import { InvalidData } from '@lethe/core';

/** Numbers of an IDX file, in the order of its last dimension first. */
export interface IdxArray {
  /** Length of each dimension; the first is the number of records. */
  readonly shape: readonly number[];
  /** As many as the product of the lengths. */
  readonly values: Float64Array;
}

/** Bytes of a number of each type, and how it is read, most significant byte first. */
const types: Readonly<
  Record<number, readonly [bytes: number, read: (view: DataView, at: number) => number]>
> = {
  0x08: [1, (view, at) => view.getUint8(at)],
  0x09: [1, (view, at) => view.getInt8(at)],
  0x0b: [2, (view, at) => view.getInt16(at)],
  0x0c: [4, (view, at) => view.getInt32(at)],
  0x0d: [4, (view, at) => view.getFloat32(at)],
  0x0e: [8, (view, at) => view.getFloat64(at)],
};

/**
 * Reads an IDX file, the format of the MNIST images and their labels: two bytes of 0, a type, the number of
 * dimensions, their lengths in four bytes each, and the numbers.
 *
 * @throws {InvalidData} for bytes that are none, another number of bytes than the lengths say, and numbers
 *   that are not finite.
 */
export function parseIdx(bytes: Uint8Array): IdxArray {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [type, dimensions] = bytes.length < 4 ? [0, 0] : [bytes[2], bytes[3]];
  const found = types[type];
  if (found === undefined || bytes[0] !== 0 || bytes[1] !== 0 || dimensions === 0)
    throw new InvalidData('this is no IDX file, which begins with 0, 0, a type and a number of dimensions', {
      bytes: [...bytes.subarray(0, 4)],
    });
  const [width, read] = found;
  const head = 4 + 4 * dimensions;
  const shape = Array.from({ length: dimensions }, (_, k) =>
    4 * (k + 2) <= bytes.length ? view.getUint32(4 * (k + 1)) : 0,
  );
  const length = shape.reduce((product, one) => product * one, 1);
  if (bytes.length !== head + width * length)
    throw new InvalidData(
      `an IDX file of ${shape.join(' × ')} numbers has ${head + width * length} bytes, and this one has ` +
        `${bytes.length}; it may be cut short`,
      { shape, bytes: bytes.length },
    );
  const values = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    values[i] = read(view, head + i * width);
    if (!Number.isFinite(values[i]))
      throw new InvalidData(`number ${i} of the IDX file is not finite`, { at: i });
  }
  return { shape, values };
}
