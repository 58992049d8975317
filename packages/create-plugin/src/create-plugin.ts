import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { kebabCase, kinds } from './kinds.js';
import { pluginText, type PluginText } from './plugin-text.js';

/** What to write, and where. */
export interface NewPlugin {
  /** Such as `clip` or `local-randomiser`; `localRandomiser` is the same. */
  readonly kind: string | undefined;
  /** In kebab-case; names the package and its folder, the plugin and, in camelCase, the exported constant. */
  readonly name: string | undefined;
  /** The folder of the package is made in this one. */
  readonly folder: string;
}

/** Why a package cannot be written, with what to do; `null` when it can. */
export function problemWith({ kind, name, folder }: NewPlugin): string | null {
  if (kind === undefined || !kinds.includes(kebabCase(kind))) {
    return `'${kind ?? ''}' is not a kind of plugin; choose one of: ${kinds.join(', ')}`;
  }
  if (name === undefined || !/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(name)) {
    const said = name === undefined ? 'the name is missing' : `'${name}' is not a name`;
    return `${said}; write it in kebab-case, like my-${kebabCase(kind)}`;
  }
  return existsSync(join(folder, name)) ? `${join(folder, name)} exists already; choose another name` : null;
}

/**
 * Writes a package with one plugin of a kind that keeps its laws, and its test.
 *
 * @returns The files written, relative to the folder.
 * @throws {Error} before anything is written, with {@link problemWith} as its message.
 */
export function createPlugin(given: NewPlugin): readonly string[] {
  const problem = problemWith(given);
  const { name } = given;
  if (problem !== null || given.kind === undefined || name === undefined)
    throw new Error(problem ?? 'a kind and a name are missing');
  const kind = kebabCase(given.kind);
  const files = Object.entries(packageFiles(kind, name, pluginText(kind, name)));
  for (const [file, text] of files) {
    const path = join(given.folder, name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return files.map(([file]) => `${name}/${file}`);
}

const typescript = '^7.0.2';
const vitest = '^4.1.12';
const zod = '^4.0.0';

function packageFiles(kind: string, name: string, plugin: PluginText): Readonly<Record<string, string>> {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  const versionOf = (one: string): string => (one === 'zod' ? zod : `^${version}`);
  const versions = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.toSorted().map((one) => [one, versionOf(one)]));
  const forTests = ['@lethe/laws', ...plugin.testImports].filter((one) => !plugin.imports.includes(one));
  const manifest = {
    name,
    version: '0.1.0',
    description: `${withArticle(kind)} for Lethe.`,
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    files: ['dist', 'src'],
    scripts: {
      build: 'tsc -p tsconfig.build.json',
      prepare: 'npm run build',
      test: 'tsc && npm run build && vitest run',
    },
    peerDependencies: versions(plugin.imports),
    devDependencies: { ...versions(forTests), typescript, vitest },
  };
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    noEmit: true,
  };
  return {
    'package.json': json(manifest),
    'tsconfig.json': json({ compilerOptions, include: ['src', 'test'] }),
    'tsconfig.build.json': json({
      extends: './tsconfig.json',
      compilerOptions: { noEmit: false, declaration: true, rootDir: 'src', outDir: 'dist' },
      include: ['src'],
    }),
    '.gitignore': 'node_modules\ndist\n',
    'README.md': readme(kind, name, plugin),
    'src/index.ts': `export { ${plugin.constant} } from './${name}.js';\n`,
    [`src/${name}.ts`]: plugin.source,
    [`test/${name}.test.ts`]: plugin.test(`../src/${name}.js`),
  };
}

const json = (content: object): string => `${JSON.stringify(content, null, 2)}\n`;

const readme = (kind: string, name: string, { constant }: PluginText): string => `# ${name}

${withArticle(kind)} for [Lethe](https://www.npmjs.com/package/@lethe/core). Say here what it does, and what it claims.

\`\`\`sh
npm install    # builds dist/ too
npm test       # types, then the laws of its kind
\`\`\`

\`src/${name}.ts\` exports \`${constant}\`. An experiment that lists this package, or this folder, under \`plugins\` knows it as \`${name}\`:

\`\`\`yaml
plugins: [./${name}]
\`\`\`

\`npx lethe laws ./${name}\` tries its laws without a test runner.
`;

/** A kind in words, as a sentence begins. */
const withArticle = (kind: string): string =>
  `${/^[aeio]/u.test(kind) ? 'An' : 'A'} ${kind.replaceAll('-', ' ')}`;
