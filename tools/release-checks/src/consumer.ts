import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest, root, withSiblings } from './repository.js';
import { runOrThrow } from './run.js';

/** Everything under `exports` that can be imported by name. */
function entryPoints(name: string): readonly string[] {
  const { exports, name: scoped } = readManifest(name);
  return Object.keys(exports)
    .filter((path) => !path.endsWith('.json'))
    .map((path) => scoped + path.slice(1));
}

/** Packs every named package into `folder`; tarball path by package name. */
export async function packAll(names: readonly string[], folder: string): Promise<ReadonlyMap<string, string>> {
  const workspaces = names.flatMap((name) => ['--workspace', `@lethe/${name}`]);
  const report = await runOrThrow('npm', ['pack', '--json', '--pack-destination', folder, ...workspaces], root);
  const packed = JSON.parse(report) as { name: string; filename: string }[];
  return new Map(packed.map(({ name, filename }) => [name.slice('@lethe/'.length), join(folder, filename)]));
}

const probe = (binding: string): string =>
  `if (Object.keys(${binding}).length === 0) throw new Error('${binding} exports nothing');\nfor (const [name, value] of Object.entries(${binding})) if (value === undefined) throw new Error(name + ' is undefined');\n`;

const compilerOptions = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2023', exactOptionalPropertyTypes: true };

/**
 * An empty project that depends on one package: its tarball, those of its siblings, its peers and nothing else.
 * It holds `esm.mjs`, `require.cjs` and a `types.ts`, one line per entry point, and a `siblings.ts` with those of all that is installed.
 */
export function writeConsumer(name: string, tarballs: ReadonlyMap<string, string>, folder: string): void {
  const entries = entryPoints(name);
  const bindings = entries.map((_, i) => `entry${i}`);
  const own = withSiblings(name).map((sibling) => [`@lethe/${sibling}`, `file:${tarballs.get(sibling)}`] as const);
  const files = {
    'package.json': JSON.stringify({ name: 'consumer', private: true, dependencies: { ...Object.fromEntries(own), ...readManifest(name).peerDependencies } }),
    'esm.mjs': entries.map((entry, i) => `import * as ${bindings[i]} from '${entry}';\n${probe(bindings[i]!)}`).join(''),
    'require.cjs': entries.map((entry, i) => `const ${bindings[i]} = require('${entry}');\n${probe(bindings[i]!)}`).join(''),
    'types.ts': entries.map((entry, i) => `export * as ${bindings[i]} from '${entry}';\n`).join(''),
    'siblings.ts': withSiblings(name).flatMap(entryPoints).map((entry, i) => `export * as sibling${i} from '${entry}';\n`).join(''),
    'nodenext.json': JSON.stringify({ compilerOptions: { ...compilerOptions, module: 'nodenext' }, files: ['types.ts'] }),
    'siblings-nodenext.json': JSON.stringify({ compilerOptions: { ...compilerOptions, module: 'nodenext' }, files: ['siblings.ts'] }),
    'siblings-bundler.json': JSON.stringify({ compilerOptions: { ...compilerOptions, module: 'esnext', moduleResolution: 'bundler' }, files: ['siblings.ts'] }),
  };
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
}
