/** Takes text piece by piece, cut anywhere; what is kept between pieces is at most one unfinished record. */
export interface TextParser<Result> {
  /** Reads the next piece of text, which may end anywhere. */
  push(text: string): void;
  /** Ends the text. */
  finish(): Result;
  /** Says how many characters there are going to be, about; memory may be made for as many. */
  expect?(characters: number): void;
}

/**
 * Calls `onLine(line, number)` for every line, without its end, numbers counting from 1.
 *
 * @param skipsBlank - Whether lines of blanks alone are left out. What follows the last end of line is left
 * out if it is empty.
 */
export function lineParser<Result>(
  onLine: (line: string, number: number) => void,
  finish: () => Result,
  skipsBlank = true,
): TextParser<Result> {
  let pending: string[] = [];
  let number = 0;

  function emit(line: string): void {
    number++;
    if (skipsBlank && line.trim() === '') return;
    onLine(line.endsWith('\r') ? line.slice(0, -1) : line, number);
  }

  return {
    push(text) {
      let start = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
        pending.push(text.slice(start, end));
        emit(pending.join(''));
        pending = [];
        start = end + 1;
      }
      pending.push(text.slice(start));
    },
    finish() {
      const rest = pending.join('');
      if (rest !== '') emit(rest);
      return finish();
    },
  };
}
