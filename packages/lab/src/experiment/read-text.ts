import { readFileSync } from 'node:fs';
import { InvalidParameter } from '@lethe/core';

const largestFile = 10_000_000;

/**
 * Text of a user's file; of standard input for the path `-`.
 *
 * @param most - Size limit in bytes.
 * @throws {InvalidParameter} when it cannot be read, is not UTF-8, or is larger.
 */
export function readText(path: string, most = largestFile): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path === '-' ? 0 : path);
  } catch (error) {
    throw unreadable(path, error as NodeJS.ErrnoException);
  }
  if (bytes.length > most)
    throw new InvalidParameter(`${path} has ${bytes.length} bytes; at most ${most} are read`, {
      path,
      bytes: bytes.length,
    });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidParameter(`${path} is not UTF-8 text; save it as UTF-8`, { path });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'you may not read it',
};

/** That a file cannot be read, by what the system says. */
export function unreadable(path: string, { code = 'unknown' }: NodeJS.ErrnoException): InvalidParameter {
  return new InvalidParameter(`${path} cannot be read: ${reasons[code] ?? `error ${code}`}; check the path`, {
    path,
  });
}
