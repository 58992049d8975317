import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesOf, type Line } from './lines.js';

async function collect(chunks: readonly Uint8Array[], most?: number): Promise<Line[]> {
  const found: Line[] = [];
  // oxlint-disable-next-line require-await
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  for await (const line of linesOf(stream(), most)) found.push(line);
  return found;
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('lines are the same, however the input is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\n\ufeff]|\p{Surrogate}/gu, '')),
        { minLength: 1 },
      ),
      fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
      async (lines, lengths) => {
        const whole = bytes(lines.join('\n'));
        const chunks: Uint8Array[] = [];
        for (let from = 0; from < whole.length;) {
          const length = lengths.next().value as number;
          chunks.push(whole.subarray(from, from + length));
          from += length;
        }
        // What follows the last end of line is a line only when there is something.
        expect(await collect(chunks)).toEqual(
          (lines.at(-1) === '' ? lines.slice(0, -1) : lines).map((text) => ({ text })),
        );
      },
    ),
  );
});

test('a line that is too long or no text is told of, and ends nothing', async () => {
  const chunks = [
    bytes('one\nfar too'),
    bytes(' long for'),
    bytes(' this\ntwo\n'),
    Uint8Array.of(0xff, 0xfe, 10),
    bytes('three'),
  ];
  expect(await collect(chunks, 12)).toEqual([
    { text: 'one' },
    { problem: 'a line has 21 bytes; at most 12 are read' },
    { text: 'two' },
    { problem: 'a line is not UTF-8 text; save it as UTF-8' },
    { text: 'three' },
  ]);
});

test('a chunk that is used again does not change what was read', async () => {
  const buffer = new Uint8Array(4);
  async function* stream(): AsyncGenerator<Uint8Array> {
    for (const text of ['abcd', 'efgh', 'i\njk']) {
      buffer.set(bytes(text));
      yield await Promise.resolve(buffer);
    }
  }
  const found: Line[] = [];
  for await (const line of linesOf(stream())) found.push(line);
  expect(found).toEqual([{ text: 'abcdefghi' }, { text: 'jk' }]);
});
