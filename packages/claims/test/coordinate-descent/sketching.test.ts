import ledger from '@lethe/algorithms/coordinate-descent/claims.json' with { type: 'json' };
import { environmentOf } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import { expect, it } from 'vitest';
import { coordinateDescentSubject } from '../../src/index.js';
import { sketchingChecks } from '../../src/coordinate-descent/sketching-checks.js';
import { testRows } from '../rows.js';
import { listedDescent } from './listed-descent.js';
import { sketchingMutants } from './mutants-sketching.js';

const checksOf = (replaced: Partial<typeof coordinateDescentSubject>) =>
  sketchingChecks({ ...coordinateDescentSubject, ...replaced });
testRows({
  paper: 'maranjyan',
  rows: [1, 31],
  checksOf,
  shippedBy: { subject: coordinateDescentSubject, ledger, around: ['runNoiseScale'] },
  mutants: sketchingMutants,
  spared: (id) => id.endsWith('-printed'),
});

it('mutants of the listed method are mutants by their slips alone: the listing without any passes', async () => {
  for (const name of [
    'maranjyan/averaging',
    'maranjyan/restarts',
    'maranjyan/noise-where-drawn',
    'maranjyan/canonical-step',
  ]) {
    const check = defined(checksOf({ sketchedDescent: listedDescent() }).find(({ id }) => id === name));
    expect(
      (await check.run(environmentOf({ law: name }, { seed: process.env['FC_SEED'] ?? 'claims' }))).verdict,
    ).toBe('holds');
  }
});
