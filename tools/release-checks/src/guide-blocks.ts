/** One fenced block of a guide, by what it asks for. */
export type GuideBlock =
  | { readonly does: 'run'; readonly text: string; /** Exit code. */ readonly exits: number }
  | { readonly does: 'write'; readonly text: string; readonly file: string }
  | { readonly does: 'edit'; readonly text: string; readonly file: string }
  | { readonly does: 'show'; readonly text: string };

const FENCE = /^```(\w+)(?: ([^\n]*))?\n([\s\S]*?)^```[ \t]*$/gm;

/**
 * The blocks of a guide in order: `sh` is run (`sh exits=1` must fail so), `js FILE` and `yaml FILE` are
 * written, `diff FILE` changes a file, `text` is what the block before it prints.
 */
export function blocksOf(markdown: string): readonly GuideBlock[] {
  return [...markdown.replaceAll('\r\n', '\n').matchAll(FENCE)].map(
    ([, language = '', more = '', text = '']): GuideBlock => {
      if (language === 'sh') return { does: 'run', text, exits: Number(/exits=(\d+)/u.exec(more)?.[1] ?? 0) };
      if (language === 'text') return { does: 'show', text };
      if (more !== '' && (language === 'js' || language === 'yaml'))
        return { does: 'write', text, file: more };
      if (more !== '' && language === 'diff') return { does: 'edit', text, file: more };
      throw new Error(
        `a block fenced as '${language} ${more}' does nothing; use sh, text, js FILE, yaml FILE or diff FILE`,
      );
    },
  );
}

/** A file after a diff of one place, without context. */
export function edited(before: string, diff: string): string {
  const side = (mark: string): string =>
    diff
      .split('\n')
      .filter((line) => line.startsWith(mark))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  if (before.split(side('-')).length !== 2) throw new Error(`not there exactly once:\n${side('-')}`);
  return before.replace(side('-'), () => side('+'));
}

/** The announced lines that are not printed in this order; `…` stands for any text. */
export function missingLines(
  announced: string,
  printed: string,
  announces: (expected: string, line: string) => boolean,
): readonly string[] {
  const lines = printed.split('\n');
  let at = 0;
  return announced
    .split('\n')
    .filter((line) => line !== '')
    .filter((line) => {
      const found = lines.findIndex((candidate, i) => i >= at && announces(line, candidate));
      if (found >= 0) at = found + 1;
      return found < 0;
    });
}
