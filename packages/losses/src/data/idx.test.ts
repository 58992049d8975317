import { InvalidData } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { parseIdx } from './idx.js';

const file = (type: number, shape: readonly number[], numbers: readonly number[]): Uint8Array =>
  Uint8Array.of(0, 0, type, shape.length, ...shape.flatMap((one) => [0, 0, 0, one]), ...numbers);

describe('parseIdx', () => {
  it('reads bytes and wider numbers, most significant byte first', () => {
    expect(parseIdx(file(0x08, [2, 1, 2], [1, 2, 3, 255]))).toStrictEqual({
      shape: [2, 1, 2],
      values: Float64Array.of(1, 2, 3, 255),
    });
    expect(parseIdx(file(0x09, [1], [255])).values[0]).toBe(-1);
    expect(parseIdx(file(0x0b, [1], [1, 2])).values[0]).toBe(258);
    expect(parseIdx(file(0x0c, [1], [255, 255, 255, 254])).values[0]).toBe(-2);
    expect(parseIdx(file(0x0d, [1], [0x3f, 0x80, 0, 0])).values[0]).toBe(1);
    expect(parseIdx(file(0x0e, [1], [0x40, 0, 0, 0, 0, 0, 0, 0])).values[0]).toBe(2);
  });

  it.each([
    ['nothing', Uint8Array.of()],
    ['another beginning', Uint8Array.of(1, 0, 8, 1, 0, 0, 0, 0)],
    ['an unknown type', file(0x0a, [1], [1])],
    ['no dimension', file(0x08, [], [1])],
    ['a number too few', file(0x08, [2, 2], [1, 2, 3])],
    ['a number too many', file(0x08, [2], [1, 2, 3])],
    ['lengths that are cut short', Uint8Array.of(0, 0, 8, 3, 0, 0, 0, 1)],
    ['a number that is not finite', file(0x0d, [1], [0x7f, 0x80, 0, 0])],
  ])('refuses %s', (_, bytes) => {
    expect(() => parseIdx(bytes)).toThrow(InvalidData);
  });
});
