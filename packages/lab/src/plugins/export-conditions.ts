const conditions: ReadonlySet<string> = new Set(['node', 'import', 'module-sync', 'default']);

/**
 * The file that the `exports` of a package.json give to an import of a subpath, relative to the package;
 * `undefined` for none. Subpaths are looked up by their full names; patterns with a star are not tried.
 *
 * @param exports - The field as it stands there.
 * @param subpath - `.`, or `./sub`.
 * @see https://nodejs.org/api/packages.html#conditional-exports
 */
export function exportedByImport(exports: unknown, subpath: string): string | undefined {
  const bySubpath = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith('.'));
  if (bySubpath) return targetOf((exports as Readonly<Record<string, unknown>>)[subpath]);
  return subpath === '.' ? targetOf(exports) : undefined;
}

function targetOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (Array.isArray(target)) return firstOf(target);
  if (!isRecord(target)) return undefined;
  return firstOf(
    Object.entries(target)
      .filter(([condition]) => conditions.has(condition))
      .map(([, inner]) => inner),
  );
}

function firstOf(targets: readonly unknown[]): string | undefined {
  for (const target of targets) {
    const found = targetOf(target);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
