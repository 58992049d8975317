import { isAscii } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { InvalidData } from '@lethe/core';
import type { TextParser } from '../data/lines.js';
import { fileError } from './file-error.js';

/**
 * Feeds a UTF-8 file to a parser in pieces of 1 MiB.
 *
 * @throws {InvalidParameter} when the file cannot be opened,
 * {@link InvalidData} when it is not UTF-8, and what the parser throws.
 */
export async function parseTextFile<Result>(path: string, parser: TextParser<Result>): Promise<Result> {
  const decode = decoderOf(path);
  try {
    const { size } = await stat(path);
    parser.expect?.(size);
    for await (const bytes of createReadStream(path, { highWaterMark: 2 ** 20 }))
      parser.push(decode(bytes as Buffer));
  } catch (cause) {
    throw fileError(path, cause);
  }
  parser.push(decode());
  return parser.finish();
}

/**
 * Decodes UTF-8 piece by piece; called without bytes at the end. Pieces of ASCII are taken as they are, which
 * is several times faster and gives strings of one byte a character.
 */
function decoderOf(path: string): (bytes?: Buffer) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  let isWhole = true; // whether the decoder holds no part of a character
  return (bytes) => {
    if (bytes !== undefined && isWhole && isAscii(bytes)) {
      // The decoder must not take what it sees first for the beginning of the file, where a mark may stand.
      if (isFirst) decoder.decode(bytes.subarray(0, 1), { stream: true });
      isFirst = false;
      return bytes.toString('latin1');
    }
    isFirst = false;
    isWhole = bytes !== undefined && bytes.length > 0 && bytes[bytes.length - 1] < 0x80;
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      throw new InvalidData(`${path} is not UTF-8 text`, { path }, { cause });
    }
  };
}
