import { InvalidParameter, LetheError, Unsupported } from '@lethe/core';

/**
 * Turns a failure to open or read a file into {@link InvalidParameter}
 * or {@link Unsupported}; other errors pass unchanged.
 */
export function fileError(path: string, cause: unknown): unknown {
  if (cause instanceof LetheError) return cause;
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  if (code === 'ERR_STRING_TOO_LONG' || code === 'ERR_FS_FILE_TOO_LARGE' || cause instanceof RangeError) {
    return new Unsupported(
      `${path} is too large to read in one piece; use JSON Lines, CSV or Parquet`,
      { path },
      { cause },
    );
  }
  if (code === undefined) return cause;
  return new InvalidParameter(
    `cannot read ${path} (${code}); give the path of a readable file`,
    { path, code },
    { cause },
  );
}
