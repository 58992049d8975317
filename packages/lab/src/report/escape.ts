/** Markup that is safe to put in a page: made by {@link html}, or by a renderer that escapes. */
export interface Html {
  readonly markup: string;
}
/** What may stand in a template: text is escaped, markup is kept, lists are joined, `null` is nothing. */
export type Content = Html | string | number | null | readonly Content[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Text as HTML, safe in an element and in a quoted attribute.
 * Control characters, which HTML forbids, become U+FFFD.
 */
export const escapeHtml = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/gu, '\ufffd')
    .replaceAll(/[&<>"']/gu, (character) => entities[character]);

/** Template of markup: every interpolation is escaped unless it is {@link Html} itself. */
export const html = (strings: TemplateStringsArray, ...contents: readonly Content[]): Html => ({
  markup: strings.map((string, i) => string + (i < contents.length ? markupOf(contents[i]) : '')).join(''),
});

/** Markup from a renderer that escapes by itself. */
export const trusted = (markup: string): Html => ({ markup });

/** Contents with a separator between them. */
export const joined = (contents: readonly Content[], separator: Content): Html => ({
  markup: contents.map(markupOf).join(markupOf(separator)),
});

/**
 * JSON that stays inside its `<script type="application/json">`: `<`, `>`, `&` and line separators are
 * written as escapes. Numbers that JSON lacks become the strings `"Infinity"`, `"-Infinity"` and `"NaN"`.
 */
export const embedJson = (value: unknown): Html =>
  trusted(
    JSON.stringify(value, jsonNumber).replaceAll(
      /[<>&\u2028\u2029]/gu,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );

/** Replacer for `JSON.stringify` that keeps infinities and NaN readable. */
export const jsonNumber = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

function markupOf(content: Content): string {
  if (content === null) return '';
  if (typeof content === 'string') return escapeHtml(content);
  if (typeof content === 'number') return escapeHtml(String(content));
  return 'markup' in content ? content.markup : content.map(markupOf).join('');
}
