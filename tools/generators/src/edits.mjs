/**
 * Edits of files that list plugins. Each throws when the file
 * has no such place, so that nothing is written half.
 */

/** @param {string} text @param {string} line */
function importedIn(text, line) {
  const imports = [...text.matchAll(/^import [^;]*;$/gmu)];
  const last = imports.at(-1);
  if (last === undefined) throw new Error(`there is no import to write '${line}' after`);
  const end = last.index + last[0].length;
  return `${text.slice(0, end)}\n${line}${text.slice(end)}`;
}

/**
 * Adds a constant to an array of plugins, and its import.
 *
 * @param {string} text @param {{ list: string, constant: string, from: string }} entry
 */
export function listed(text, { list, constant, from }) {
  const start = new RegExp(`^(?:export )?const ${list}\\b[^=]*= (?:Object\\.freeze\\()?\\[`, 'mu').exec(text);
  const end = start === null ? -1 : text.indexOf(']', start.index + start[0].length);
  if (start === null || end < 0) throw new Error(`there is no array '${list}' to add ${constant} to`);
  const inside = text.slice(start.index + start[0].length, end);
  const [, body = '', tail = ''] = /^([\s\S]*?),?(\s*)$/u.exec(inside) ?? [];
  const added = tail.includes('\n') ? `${body}, ${constant},${tail}` : `${body}, ${constant}`;
  return importedIn(
    text.slice(0, start.index + start[0].length) + added + text.slice(end),
    `import { ${constant} } from '${from}';`,
  );
}

/**
 * Exports a constant by name: in the list of what the file has
 * imported, where there is one, and otherwise from its file.
 *
 * @param {string} text @param {{ constant: string, from: string }} entry
 */
export function exported(text, { constant, from }) {
  const own = [...text.matchAll(/^export \{ [^}]* \};$/gmu)].at(-1);
  if (own === undefined) return `${text}export { ${constant} } from '${from}';\n`;
  return `${text.slice(0, own.index)}${own[0].replace(/ \};$/u, `, ${constant} };`)}${text.slice(own.index + own[0].length)}`;
}

/**
 * Adds a row to the table of exports after the last plugin of its kind.
 *
 * @param {string} text @param {{ kind: string, name: string, constant: string, summary: string }} entry
 */
export function tabled(text, { kind, name, constant, summary }) {
  const label = kind.replaceAll('-', ' ');
  const row = `| \`${constant}\` | ${label} \`${name}\` | ${summary} | |`;
  // Some tables have one row for all of a kind.
  const rows = [...text.matchAll(new RegExp(`^\\| [^|]*\\| ${label}s? [\`|][^\\n]*$`, 'gmu'))];
  const last = rows.at(-1);
  if (last === undefined) throw new Error(`the README has no row of a plugin of kind ${label}`);
  const end = last.index + last[0].length;
  return `${text.slice(0, end)}\n${row}${text.slice(end)}`;
}
