import type { InitializeHook, ResolveHook } from 'node:module';

/** Files of packages, and the files of the bundled command that export the same. */
let bundled: Readonly<Record<string, string>> = {};

export const initialize: InitializeHook<Readonly<Record<string, string>>> = (data) => {
  bundled = data;
};

/** Resolves as Node does; an entry of a bundled package becomes its file in the bundle. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const found = await nextResolve(specifier, context);
  return { ...found, url: bundled[found.url] ?? found.url };
};
