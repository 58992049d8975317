import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { accountants, calibrator } from '@lethe/accountants';
import { optimizers, skgd } from '@lethe/algorithms';
import { canonicalEvent, driveSync, openLedger, attachData, centralCurator, seededRandom, type Problem } from '@lethe/core';
import { encode } from '@lethe/numerics';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { expect, test } from 'vitest';
import { subjectsOf } from '../../../../packages/laws/src/law/make-subject.js';
import { carryOut } from '../../../../packages/laws/src/kinds/optimizer/runs.js';
import { dataSets } from '../../../../packages/laws/src/kinds/optimizer/records.js';
import { planned, settingOf } from '../../../../packages/laws/src/kinds/optimizer/settings.js';

const file = new URL('recorded.json', import.meta.url).pathname;
const known = (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null) as Record<string, unknown> | null;
const found: Record<string, unknown> = {};
const registry = [...mechanisms, ...losses];
const hash = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
const strip = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(strip);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'checkpointEvery').toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([n, v]) => [n, strip(v)]));
};
const describePlan = (plan: { event: unknown }): unknown => {
  const { event, ...rest } = plan as never as Record<string, unknown>;
  return { json: hash(JSON.stringify(strip(rest))), event: hash(canonicalEvent(event as never)), noise: (rest['noiseMultiplier'] as number | undefined) ?? null, fields: Object.keys(rest).filter((n) => n !== 'checkpointEvery').toSorted().join() };
};
const keep = (name: string, value: unknown): void => {
  found[name] = JSON.parse(JSON.stringify(value));
  if (known !== null) expect(found[name], name).toEqual(known[name]);
};
const others: readonly (readonly [string, Partial<Problem>])[] = [
  ['ball', {}],
  ['everywhere', { domain: { kind: 'domain', name: 'whole-space', params: {} } as never }],
  ['box', { domain: { kind: 'domain', name: 'box', params: { lower: -0.1, upper: 0.2 } } as never }],
  ['ridge', { regulariser: { name: 'l2-squared', params: { strength: 0.5 } } as never }],
  ['l1', { regulariser: { name: 'l1', params: { strength: 0.1 } } as never }],
];
for (const plugin of optimizers) {
  test(plugin.name, { timeout: 600_000 }, () => {
    const only = process.env['ONLY'];
    if (only !== undefined && !plugin.name.includes(only)) return;
    for (const subject of subjectsOf(plugin as never, { registry }) as never as Parameters<typeof settingOf>[0][]) {
      for (const adjacency of plugin.adjacencies) {
        for (const [variant, problem] of others) {
          const name = `${subject.name} ${adjacency} ${variant}`;
          const setting = settingOf(subject, adjacency);
          if ('why' in setting) { keep(name, setting.why); continue; }
          const own = { ...setting, problem: { ...setting.problem, ...problem } };
          try {
            const run = planned(subject, own.problem);
            const { output } = carryOut(subject, own, run, { records: dataSets(setting).spread });
            keep(name, { ...describePlan(run.plan) as object, output: hash(encode(output)), first: output[0] });
          } catch (error) {
            if ((error as Error).name === 'AssertionError') throw error;
            keep(name, { error: (error as Error).name });
          }
        }
        if (adjacency === 'add-remove' || !plugin.trustModels.includes('shuffle')) continue;
        const shuffled = settingOf(subject, adjacency, (slots) => ({ model: 'shuffle', honestUsers: slots - Math.ceil(slots / 40) }));
        const name = `${subject.name} ${adjacency} shuffle`;
        if ('why' in shuffled) { keep(name, 'none'); continue; }
        const run = planned(subject, shuffled.problem);
        const { output } = carryOut(subject, shuffled, run, { records: dataSets(shuffled).spread });
        keep(name, { ...describePlan(run.plan) as object, output: hash(encode(output)), first: output[0] });
      }
    }
    const subject = subjectsOf(plugin as never, { registry })[0] as never as Parameters<typeof settingOf>[0];
    const setting = settingOf(subject, 'replace-one');
    if (!('why' in setting) && plugin.stopping !== 'adaptive') {
      const run = planned(subject, setting.problem, { budget: { epsilon: 1, delta: 1e-6 }, calibrate: calibrator(accountants) });
      keep(`${subject.name} calibrated`, describePlan(run.plan));
    }
  });
}
test('skgd', () => {
  const { slots, dimension, problem, loss, domain } = settingOf(subjectsOf(optimizers.find(({ name }) => name === 'dp-skgd') as never, { registry })[0] as never, 'replace-one') as never as Record<string, any>;
  for (const [variant, other] of others.slice(0, 4)) {
    const run = skgd.prepare({ problem: { ...problem, ...other } as never, registry, budget: { epsilon: 1, delta: 1e-6 }, params: { steps: 30, sketch: { name: 'tau-nice', params: { tau: 2 } }, smoothness: 3 }, calibrate: calibrator(accountants), random: seededRandom('public') });
    const records = dataSets({ slots, dimension, labels: [1, -1] } as never).spread;
    const features = new Float64Array(slots * dimension);
    records.forEach((record, i) => { if (record !== null) features.set(record.features, i * dimension); });
    const ledger = openLedger({ adjacency: 'replace-one' });
    const data = attachData({ features: { data: features, rows: slots, columns: dimension, offset: 0, rowStride: dimension, columnStride: 1 }, labels: Float64Array.from(records, (r) => r?.label ?? 0), loss: loss.ref, registry, domain, ledger });
    const curator = centralCurator({ data, registry, run: 'run', random: seededRandom('c'), allowUnprotected: true });
    const { output } = driveSync(run, curator, { start: new Float64Array(dimension).fill(0.25), random: seededRandom('public') });
    keep(`skgd ${variant}`, { ...describePlan(run.plan) as object, output: hash(encode(output)), first: output[0] });
  }
});
test('recorded', () => {
  if (known === null) writeFileSync(file, JSON.stringify(found, null, 1));
  else if (process.env['ONLY'] === undefined) expect(Object.keys(found).toSorted()).toEqual(Object.keys(known).toSorted());
});
