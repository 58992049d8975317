import { existsSync, readFileSync } from 'node:fs';
import { register } from 'node:module';

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
}
