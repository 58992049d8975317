/** One fenced block of a README that a reader may paste and run. */
export interface Example {
  readonly code: string;
  /** The texts of its `// =>` comments, in order. */
  readonly expected: readonly string[];
}

const FENCE = /^```ts[ \t]*\n([\s\S]*?)^```[ \t]*$/gm;
const OUTPUT = /\/\/ => ?(.*)$/gm;

/** Every block fenced as exactly `ts`; a fragment that cannot run alone is fenced as `ts fragment`. */
export function examplesOf(markdown: string): readonly Example[] {
  return [...markdown.replaceAll('\r\n', '\n').matchAll(FENCE)].map(([, code = '']) => ({
    code,
    expected: [...code.matchAll(OUTPUT)].map(([, text = '']) => text.trimEnd()),
  }));
}

/** Whether a printed line is what the comment announces; `…` in the comment stands for any text. */
export function announces(expected: string, printed: string): boolean {
  const pieces = expected.split('…').map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pieces.join('.*')}$`).test(printed.trimEnd());
}
