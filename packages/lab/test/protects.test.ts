import { afterAll, describe, expect, it, vi } from 'vitest';
import { certificateText } from '../src/federation/silo-certificate.js';
import { certificateRows } from '../src/model/model-text.js';
import { labFolder, lethe } from './support/lab-folder.js';

const folder = labFolder();
vi.stubEnv('LETHE_HOME', folder.file('home'));
afterAll(() => {
  vi.unstubAllEnvs();
  folder.remove();
});

const rows = Array.from({ length: 24 }, (_, i) => `p${i % 12},${20 + ((i * 7) % 60)},${(i % 5) / 4}`);
const csv = ['who,age,paid', ...rows, ''].join('\n');

/** A release about records, or about owners, as the command shows it: output, report and ledger. */
async function shownOf(unit: 'record' | 'owner'): Promise<Readonly<Record<string, string>>> {
  const experiment = {
    lethe: 1,
    kind: 'release',
    name: unit,
    title: 'Visits',
    adjacency: 'replace-one',
    problem: {
      name: 'p',
      title: 'P',
      loss: { name: 'squared' },
      domain: { name: 'l2-ball', params: { radius: 1 } },
      record: { labelBound: 1 },
      data: {
        file: `${unit}.csv`,
        ...(unit === 'owner' ? { owner: { column: 'who', most: 2 } } : {}),
        read: { columns: { who: 'text', age: 'number', paid: 'number' } },
        design: {
          features: [{ column: 'age', encoding: 'scale', lower: 0, upper: 100 }],
          label: { column: 'paid' },
        },
      },
    },
    optimizer: { name: 'dp-sgd', params: { steps: 3, rate: 1, clipNorm: 1, stepSize: 0.1 } },
    budget: { epsilon: 0.5, delta: 1e-5 },
    ledger: `${unit}.ledger`,
  };
  folder.write(`${unit}.csv`, csv);
  folder.write(`${unit}.json`, experiment);
  const run = await lethe('run', folder.file(`${unit}.json`), '--out', folder.file(unit));
  const ledger = await lethe('ledger', folder.file(`${unit}.ledger`));
  expect([run.code, ledger.code], run.error + ledger.error).toEqual([0, 0]);
  return { output: run.out, report: folder.read(`${unit}/report.html`), ledger: ledger.out };
}

describe('what is protected', () => {
  it('is said wherever ε of a release is, and is single records where no owner is named', async () => {
    const [owners, records] = [await shownOf('owner'), await shownOf('record')];
    expect(owners['output']).toMatch(/privacy .* replace-one of all records of one owner/u);
    expect(owners['report']).toMatch(/differ by <b>all records of one owner replaced/u);
    expect(owners['ledger']).toMatch(/protects +all records of any one owner together/u);
    for (const text of Object.values(records)) expect(text).not.toMatch(/one owner/u);
    expect(records['report']).toMatch(/differ by <b>one record replaced/u);
    // An audit attacks one of the twelve owners, who has one record.
    const audit = await lethe('audit', folder.file('owner.json'), '--runs', '20');
    expect(audit.code, audit.error).toBe(0);
    expect(audit.out).toMatch(/dp-sgd on p, owners of one record, ε = 0\.5 +replace-one +12 .* holds\n/u);
  });

  it('is said of a model and by the certificate of a silo', () => {
    const interval = { lower: 0, upper: 1, certificate: 'certified', method: 'm', assumptions: [] } as const;
    const dataset = { epsilon: interval, delta: 1e-6, runs: [], holds: 'in any case' };
    const about = { assumptions: [], label: 'private', parts: [], public: [], dataset };
    const model = { epsilon: interval, delta: 1e-6, adjacency: 'replace-one', method: 'm', ...about };
    const silo = { answered: 2, delta: 1e-6, epsilon: interval, planned: interval, total: null };
    const said = (unit: object): readonly string[] => [
      certificateRows({ ...model, ...unit } as unknown as Parameters<typeof certificateRows>[0])
        .map((row) => row.join(' '))
        .join('\n'),
      certificateText({ ...silo, ...unit } as unknown as Parameters<typeof certificateText>[0]),
    ];
    expect(said({ unit: 'owner' })).toEqual([
      expect.stringMatching(/protects all records of any one owner/u),
      expect.stringMatching(/for all records of any one owner/u),
    ]);
    expect(said({})).toEqual([
      expect.stringMatching(/protects any one record$/mu),
      expect.not.stringMatching(/owner/u),
    ]);
  });
});
