/** Separators of fields that files have, the usual one first. */
const delimiters = [',', ';', '\t', '|'];

/**
 * The separator by which a header has more fields than by the one that it was cut at: of the usual ones,
 * that which stands in it most often; `undefined` where it was cut at that one.
 *
 * It suggests what to ask for, and is never used to read a file: a guess would change what is read without a
 * word.
 *
 * @param header - Names of columns, as they were cut.
 * @param delimiter - Separator at which they were cut. @defaultValue a comma
 */
export function missedDelimiter(header: readonly string[], delimiter = ','): string | undefined {
  let most = header.length - 1;
  let found: string | undefined;
  for (const one of delimiters) {
    if (one === delimiter) continue;
    const times = header.reduce((sum, name) => sum + name.split(one).length - 1, 0);
    if (times > most) [most, found] = [times, one];
  }
  return found;
}

/** A separator of fields in messages. */
export const delimiterText = (delimiter: string): string =>
  delimiter === ',' ? 'commas' : JSON.stringify(delimiter);
