import { existsSync, readFileSync, realpathSync } from 'node:fs';
import Module, { register } from 'node:module';
import { fileURLToPath } from 'node:url';

let isShared = false;

/**
 * Lets modules imported from now on share the code of this command. In a bundled command, which
 * `tools/command.mjs` makes, a plugin's import of `@lethe/core` would otherwise load that package a second
 * time, and errors and parts of one are unknown to the other. Does nothing where the command runs from its
 * packages.
 */
export function sharePackages(): void {
  const list = new URL('./packages.json', import.meta.url);
  if (isShared || !existsSync(list)) return;
  isShared = true;
  const bundled = Object.entries(JSON.parse(readFileSync(list, 'utf8')) as Readonly<Record<string, string>>);
  const data = bundled.map(([name, file]) => [import.meta.resolve(name), new URL(file, list).href] as const);
  register('./package-hook.js', import.meta.url, { data: Object.fromEntries(data) });
  shareRequired(
    new Map(data.map(([from, to]) => [realpathSync(fileURLToPath(from)), fileURLToPath(to)] as const)),
  );
}

/**
 * Lets `require` find the files of the bundle too. Hooks of Node 20 see imports alone, and its one other way
 * in is the function by which `require` resolves, as package managers and compilers use it.
 */
function shareRequired(bundled: ReadonlyMap<string, string>): void {
  const name = '_resolveFilename';
  const resolve: unknown = Reflect.get(Module, name);
  if (typeof resolve !== 'function') return;
  Reflect.set(Module, name, (...args: readonly unknown[]): unknown => {
    const file: unknown = Reflect.apply(resolve, Module, args);
    return typeof file === 'string' ? (bundled.get(file) ?? file) : file;
  });
}
