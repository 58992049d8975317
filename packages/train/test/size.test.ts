import { build, type Rollup } from 'vite';
import { expect, test } from 'vitest';

/** Kilobytes of minified JavaScript that one import takes in a browser, zod among them. */
const most = [
  { from: '@lethe/core', name: 'gaussianEvent', kilobytes: 0.4 },
  { from: '@lethe/mechanisms', name: 'l2Clip', kilobytes: 29 },
  { from: '@lethe/accountants', name: 'gdp', kilobytes: 226 },
  { from: '@lethe/algorithms', name: 'dpSgd', kilobytes: 207 },
] as const;

/** Size of a script that has no more than one import. */
async function sizeOf(from: string, name: string): Promise<number> {
  const entry = `${import.meta.dirname}/only.js`;
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, rolldownOptions: { input: entry } },
    plugins: [
      {
        name: 'only',
        enforce: 'pre',
        resolveId: (id) => (id === entry ? entry : undefined),
        load: (id) =>
          id === entry ? `import { ${name} } from '${from}'; globalThis.only = ${name};` : undefined,
      },
    ],
  })) as Rollup.RollupOutput;
  return built.output.reduce((sum, one) => sum + ('code' in one ? one.code.length : 0), 0) / 1000;
}

test.each(most)(
  '$name of $from takes at most $kilobytes kB in a browser',
  async ({ from, name, kilobytes }) => {
    const size = await sizeOf(from, name);
    expect(size).toBeLessThan(kilobytes);
    // A bound that no longer says much is brought down.
    expect(size).toBeGreaterThan(kilobytes * 0.4);
  },
);
