/**
 * Refuses a release whose packages do not say where their sources are: npm shows these fields, and provenance
 * needs the first. `npm run release` asks before it publishes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The fields, and how each is written. The host is the one that the sources are public on. */
export const fields = /** @type {const} */ ({
  author: '"The Lethe authors"',
  repository: '{ "type": "git", "url": "git+https://HOST/OWNER/lethe.git", "directory": "packages/NAME" }',
  homepage: '"https://HOST/OWNER/lethe#readme"',
  bugs: '"https://HOST/OWNER/lethe/issues"',
});

/**
 * What the packages of a folder lack, one line a field.
 * @type {(folder: string) => readonly string[]}
 */
export function lacking(folder) {
  const packages = readdirSync(folder).map((one) =>
    JSON.parse(readFileSync(join(folder, one, 'package.json'), 'utf8')),
  );
  return Object.entries(fields).flatMap(([field, example]) => {
    const names = packages.filter((one) => one[field] === undefined).map(({ name }) => name);
    const whose = names.length === packages.length ? 'every package' : names.join(', ');
    return names.length === 0 ? [] : [`${field} is unset in ${whose}; write "${field}": ${example}`];
  });
}

if (process.argv[1] === import.meta.filename) {
  const [folder = join(import.meta.dirname, '../../../packages')] = process.argv.slice(2);
  const lines = lacking(folder);
  if (lines.length > 0) {
    console.error(`nothing is published: the sources have no public address yet.\n  ${lines.join('\n  ')}`);
    console.error('Fill in the address in packages/*/package.json, and in CITATION.cff as repository-code.');
    process.exitCode = 1;
  }
}
