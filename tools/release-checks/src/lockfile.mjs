/**
 * What would make `npm ci` fail on another platform, or tie the lockfile to one registry.
 * Run it: `node tools/release-checks/src/lockfile.mjs`; it
 * prints its findings and exits with 1 if there are any.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ version?: string, resolved?: string, integrity?: string, link?: boolean, inBundle?: boolean, optionalDependencies?: Record<string, string> }} LockEntry
 * @typedef {{ lockfileVersion?: number, packages?: Record<string, LockEntry> }} Lockfile
 */

/**
 * Where npm would look for `name` from `path`, nearest first.
 * @param {string} path a key of the lockfile's `packages`
 * @param {string} name
 */
function* candidates(path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    if (!folder.endsWith('node_modules'))
      yield folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (folder === '') return;
  }
}

/**
 * @param {Lockfile} lockfile a parsed package-lock.json
 * @returns {string[]} one line per finding; empty when the lockfile serves every platform and registry
 */
export function lockfileFindings(lockfile) {
  const packages = lockfile.packages ?? {};
  const entries = Object.entries(packages);
  if (lockfile.lockfileVersion !== 3 || entries.length < 2)
    return ['package-lock.json is not a lockfile of version 3 with packages'];
  return entries.flatMap(([path, entry]) => [
    ...Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => ![...candidates(path, name)].some((place) => place in packages))
      .map(
        (name) =>
          `${path}: its optional ${name} is not in the lockfile; npm ci fails where that binary is needed`,
      ),
    ...(entry.resolved?.includes('://')
      ? [`${path}: resolved names a host; set omit-lockfile-registry-resolved`]
      : []),
    ...(path.includes('node_modules/') && !entry.link && !entry.inBundle && entry.integrity === undefined
      ? [`${path}: no integrity`]
      : []),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const findings = lockfileFindings(
    JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8')),
  );
  for (const finding of findings) process.stderr.write(`${finding}\n`);
  process.stdout.write(`lockfile: ${findings.length} findings\n`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
