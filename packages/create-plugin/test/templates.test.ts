import type { Plugin } from '@lethe/core';
import { lawSets } from '@lethe/laws';
import { describePluginLaws, type Runner } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { camelCase, kinds } from '../src/index.js';
import { kebabCase, partsFor } from '../src/kinds.js';

const lists: Readonly<Record<string, readonly Plugin[]>> = { mechanisms, losses };

// A tenth of the inputs, as for what ships; at night all of them, and laws that sample.
const extent =
  process.env['LETHE_EFFORT'] === 'full'
    ? { effort: 1 }
    : { effort: 0.1, tiers: ['exact', 'search'] as const };
/** Left to the night: streams of many lengths, and records that are in them often. */
const isLong = (title: string): boolean =>
  extent.effort < 1 && /^prefixSum\/(?:long-streams|participations)/u.test(title);
const vitest: Runner = { describe, it };
const runner: Runner = {
  ...vitest,
  it(title, body, timeout) {
    if (!isLong(title)) vitest.it(title, body, timeout);
  },
};

// What is written from a template is right when it is written.
for (const kind of kinds) {
  const exported = (await import(
    /* @vite-ignore */ new URL(`../templates/template-${kind}.ts`, import.meta.url).href
  )) as Record<string, Plugin>;
  const plugin = exported[camelCase(`template-${kind}`)];
  const parts = partsFor(kind);
  describePluginLaws(runner, () => plugin as never, {
    ...extent,
    ...(parts.length === 0 ? {} : { registry: parts.flatMap((part) => lists[part]) }),
  });
}

it('there is a template for every kind of plugin', () => {
  const notPlugins = new Set(['curator', 'federation', 'release', 'ledger', 'store']);
  expect(kinds.toSorted()).toEqual(
    Object.keys(lawSets)
      .filter((kind) => !notPlugins.has(kind))
      .map(kebabCase)
      .toSorted(),
  );
});
