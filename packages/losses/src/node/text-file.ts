import { createReadStream } from 'node:fs';
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
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      throw new InvalidData(`${path} is not UTF-8 text`, { path }, { cause });
    }
  };
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 2 ** 20 }))
      parser.push(decode(bytes as Uint8Array));
  } catch (cause) {
    throw fileError(path, cause);
  }
  parser.push(decode());
  return parser.finish();
}
