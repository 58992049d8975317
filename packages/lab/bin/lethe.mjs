#!/usr/bin/env node
// Lies beside the sources, so that `npm ci` in a clone finds something to link before there is a build.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import module from 'node:module';

// Compiled code is kept from one start to the next where Node can.
module.enableCompileCache?.();

const timeOf = (path) => statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs;
const bundled = timeOf('../dist/command/packages.json');
const modules = timeOf('../dist/bin.js');
/** Versions of the packages in the bundle; none where there is no such list. */
const versionsIn = (path) => {
  try {
    return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
  } catch {
    return {};
  }
};
// A package of another version may be installed beside this one, or below it: that one is not in the bundle.
const isInstalled = ([name, version]) => {
  const found = ['../node_modules/@lethe', '../..']
    .map((folder) => versionsIn(`${folder}/${name}/package.json`).version)
    .find((one) => one !== undefined);
  return found === undefined || found === version;
};
// In a clone, a package that was built after the bundle is not in it. Published packages have no such files.
const isCurrent = () =>
  Object.entries(versionsIn('../dist/command/versions.json')).every(isInstalled) &&
  readdirSync(new URL('../../', import.meta.url), { withFileTypes: true }).every(
    (one) => !one.isDirectory() || !(timeOf(`../../${one.name}/dist/tsconfig.tsbuildinfo`) > bundled),
  );
if (bundled !== undefined && isCurrent()) await import('../dist/command/bin.js');
else if (modules !== undefined) await import('../dist/bin.js');
else {
  process.stderr.write('lethe: this clone is not built yet; run npx tsc -b in its root, then try again\n');
  process.exitCode = 2;
}
