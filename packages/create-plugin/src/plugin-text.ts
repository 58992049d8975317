import { readFileSync } from 'node:fs';
import { partsFor } from './kinds.js';

/** A new plugin and its test. */
export interface PluginText {
  /** The plugin's file. It imports packages by name. */
  readonly source: string;
  /** Name of the constant that it exports. */
  readonly constant: string;
  /** Packages that it imports. */
  readonly imports: readonly string[];
  /** One call, which tries the laws of its kind; `from` is what the test imports the plugin from. */
  readonly test: (from: string) => string;
  /** Packages that the test needs besides, for plugins that the laws of its kind combine it with. */
  readonly testImports: readonly string[];
}

/** `my-clip` as the name of a constant. */
export const camelCase = (name: string): string =>
  name.replaceAll(/-([a-z0-9])/gu, (_, letter: string) => letter.toUpperCase());

/**
 * The template of a kind under another name.
 *
 * @param kind - One of the kinds, in kebab-case.
 * @param name - Kebab-case; the plugin's name and, in camelCase, that of the exported constant.
 */
export function pluginText(kind: string, name: string): PluginText {
  const template = readFileSync(new URL(`../templates/template-${kind}.ts`, import.meta.url), 'utf8');
  const constant = camelCase(name);
  const parts = partsFor(kind);
  const source = template
    .replaceAll(`template-${kind}`, name)
    .replaceAll(camelCase(`template-${kind}`), constant);
  const registry = parts.length === 1 ? parts[0] : `[${parts.map((part) => `...${part}`).join(', ')}]`;
  return {
    source,
    constant,
    imports: [
      ...new Set([...source.matchAll(/from '((?:@[^/']+\/)?[^/']+)'/gu)].map(([, name_ = '']) => name_)),
    ],
    testImports: parts.map((part) => `@lethe/${part}`),
    test: (from) =>
      [
        "import { describePluginLaws } from '@lethe/laws/vitest';",
        ...parts.map((part) => `import { ${part} } from '@lethe/${part}';`),
        "import { describe, it } from 'vitest';",
        `import { ${constant} } from '${from}';`,
        '',
        'describePluginLaws({ describe, it }, ' +
          `() => ${constant}${parts.length === 0 ? '' : `, { registry: ${registry} }`});`,
        '',
      ].join('\n'),
  };
}
