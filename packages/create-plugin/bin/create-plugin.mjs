#!/usr/bin/env node
// Lies beside the sources, so that `npm ci` in a clone finds something to link before there is a build.
import { existsSync } from 'node:fs';

const command = new URL('../dist/bin.js', import.meta.url);
if (existsSync(command)) await import(command.href);
else {
  process.stderr.write(
    'create-plugin: this clone is not built yet; run npx tsc -b in its root, then try again\n',
  );
  process.exitCode = 2;
}
