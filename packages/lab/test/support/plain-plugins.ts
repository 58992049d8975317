import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LabFolder } from './lab-folder.js';

const zod = pathToFileURL(createRequire(import.meta.url).resolve('zod')).href.replace(/cjs$/u, 'js');

/** A file of plugins that needs no package but zod, which it names by its path: it can lie in any folder. */
const moduleOf = (parts: readonly string[]): string => `import { z } from '${zod}';\n${parts.join('\n')}\n`;

/** A domain `Σ x ≥ least` of this name. */
export const halfSpace = (name: string): string => `
export const ${name.replaceAll('-', '')} = {
  kind: 'domain', name: '${name}', summary: 'A sum of at least least.', source: { id: 'test', item: 'x' }, claims: [],
  params: z.strictObject({ least: z.number() }), examples: [{ least: 1 }],
  build: ({ least }, dimension) => {
    const short = (point) => least - point.reduce((sum, x) => sum + x, 0);
    return {
      name: '${name}', dimension, diameter: Infinity, centre: new Float64Array(dimension).fill(least / dimension),
      contains: (point, tolerance = 1e-9) => short(point) <= tolerance,
      projectInto(out, point) {
        const step = Math.max(0, short(point)) / dimension;
        for (let j = 0; j < dimension; j++) out[j] = point[j] + step;
        return out;
      },
    };
  },
};`;

/** An event that costs a fixed ε and nothing else. */
export const pureEvent = (kind: string): string => `
const schema = z.strictObject({ kind: z.literal('${kind}'), v: z.literal(1), epsilon: z.number().positive() });
export const cost = {
  kind: 'event', name: '${kind}', version: 1, summary: 'Pure ε.', source: { id: 'test', item: 'x' }, claims: [],
  params: schema, schema,
  examples: [{ kind: '${kind}', v: 1, epsilon: 1 }],
  characterise: { pure: ({ epsilon }) => epsilon },
};`;

/** Writes a file of plugins, in a folder that is made. */
export function writePlugins(folder: LabFolder, name: string, ...parts: readonly string[]): string {
  mkdirSync(dirname(folder.file(name)), { recursive: true });
  writeFileSync(folder.file(name), moduleOf(parts));
  return folder.file(name);
}

/** Installs a package of plugins below a folder; by default for \`import\` alone. */
export function installPlugins(
  folder: LabFolder,
  name: string,
  manifest: object,
  ...parts: readonly string[]
): string {
  const file = writePlugins(folder, `node_modules/${name}/lib/main.js`, ...parts);
  const whole = {
    name,
    version: '1.2.3',
    type: 'module',
    exports: { '.': { import: './lib/main.js' } },
    ...manifest,
  };
  writeFileSync(folder.file(`node_modules/${name}/package.json`), JSON.stringify(whole));
  return file;
}
