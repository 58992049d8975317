import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calibrator } from '@lethe/accountants';
import { drive, eventKindsOf, findPlugin, memoryStore, seededRandom, type Optimizer } from '@lethe/core';
import { agreementFor, federation, type Link } from '@lethe/curator/federation';
import {
  identityFrom,
  refusalOf,
  remoteSilo,
  sealedPlan,
  siloService,
  type SealedPlan,
  type SiloEvent,
} from '@lethe/federation';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { siloProblem } from '../src/federation/federation-schema.js';
import { publicShape } from '../src/federation/public-shape.js';
import { siloHouse, siloTable } from '../src/federation/silo-data.js';
import { accountantsIn } from '../src/plugins/accountants-in.js';
import { registry } from '../src/registry.js';
import { publicProblem } from '../src/run/problem.js';

const folder = mkdtempSync(join(tmpdir(), 'lethe-silo-secrets-'));
beforeEach(() => {
  vi.stubEnv('LETHE_HOME', join(folder, 'home'));
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rows = 12;
let ledgers = 0;
/** Records of one silo, of which one may be another. */
function file(name: string, other: Readonly<Record<string, string>> = {}): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const record = {
      who: `p${i}`,
      x: `${(i % 10) / 10}`,
      y: `${i % 2}`,
      kind: 'ab'[i % 2],
      note: '',
      when: '5',
      ...(i === 7 ? other : {}),
    };
    return 'raw' in record ? record.raw : Object.values(record).join(',');
  });
  const path = join(folder, `${name}.csv`);
  writeFileSync(path, `who,x,y,kind,note,when\n${lines.join('\n')}\n`);
  return path;
}

const scale = { column: 'x', encoding: 'scale', lower: 0, upper: 1 };
const above = { column: 'y', threshold: 0.5 };
const plain = {
  read: { columns: { x: 'number', y: 'number' } },
  design: { features: [scale], label: above },
};
interface Asked {
  readonly data: object;
  readonly loss?: object;
  readonly record?: object;
}
const identityOf = (name: string) => identityFrom(seededRandom(name).bytes(64));
const server = identityOf('server');
const own = identityOf('silo');

/** A plan of two rounds that a server proposes to a silo of `n` slots. */
function planOf({ data, loss = { name: 'logistic' }, record }: Asked, n: number, unit: 'record' | 'owner') {
  const given = {
    name: 'p',
    title: 'P',
    loss,
    domain: { name: 'l2-ball', params: { radius: 1 } },
    data,
    ...(record === undefined ? {} : { record }),
  };
  const parsed = siloProblem.parse(given);
  const { problem } = publicProblem(parsed, {
    registry,
    adjacency: 'replace-one',
    n,
    ...(unit === 'record' ? {} : { unit: 'owner' as const }),
    ...publicShape(parsed),
    trust: { model: 'federated', silos: 1, server: 'untrusted' },
  });
  const random = seededRandom('coins');
  const run = findPlugin<Optimizer>(registry, 'optimizer', 'dp-mu2-sgd').prepare({
    problem,
    registry,
    budget: { epsilon: 1, delta: 1e-6 },
    params: { rounds: 2 },
    calibrate: calibrator(accountantsIn(registry), eventKindsOf(registry)),
    random,
  });
  const start = new Float64Array(problem.dimension);
  const sealed = sealedPlan({
    format: 'lethe/federated-plan',
    v: 2,
    title: 't',
    server: server.public.text,
    silos: [{ name: 's', key: own.public.text }],
    unit,
    ...(unit === 'record' ? {} : { cap: 10 }),
    data: given as never,
    gaps: false,
    agreement: agreementFor(run, { name: '00112233445566778899aabbccddeeff', start, random }),
    deadline: 5,
  });
  return { run, sealed, start };
}

/** What the server sees of a whole run: the length of every reply, refusals in full, and how it ends. */
async function seen(
  path: string,
  { run, sealed, start }: ReturnType<typeof planOf>,
  {
    yes,
    owner,
    afterCount,
  }: { readonly yes: boolean; readonly owner?: string; readonly afterCount?: () => void },
): Promise<{ readonly server: readonly string[]; readonly owner: readonly string[] }> {
  const told: string[] = [];
  const warnings: string[] = [];
  const table = await siloTable({ file: path, form: {}, owner });
  afterCount?.();
  const house = siloHouse({
    table,
    adjacency: 'replace-one',
    limit: undefined,
    ledger: `${path}-${++ledgers}.ledger`,
    registry,
    warn: (text) => warnings.push(text),
  });
  let reading: Promise<unknown> = Promise.resolve();
  const service = siloService({
    identity: own,
    serverKey: server.public,
    records: table.slots,
    adjacency: 'replace-one',
    unit: owner === undefined ? 'record' : 'owner',
    registry,
    store: memoryStore(),
    open: (opened) => house.open(opened),
    async confirm({ sealed: { plan } }) {
      reading = house.prepare(plan);
      await reading;
      return yes || new Promise<never>(() => undefined);
    },
    onEvent: (event: SiloEvent) => {
      if (event.what === 'undecided') warnings.push(String(event.error));
    },
  });
  const link: Link = {
    async request(bytes) {
      const reply = await service.request(bytes);
      told.push(`${bytes.length} > ${reply.length}`);
      return reply;
    },
  };
  let asks = 0;
  try {
    const silo = await remoteSilo(sealed, 0, {
      identity: server,
      siloKey: own.public,
      link,
      // What was said before the records are read does not count. Then the owner has decided, or never does.
      pause: async () => {
        if (++asks > 3) throw new Error('still waits for the owner');
        told.length = 0;
        await Promise.allSettled([reading]);
        await new Promise((settle) => setImmediate(settle));
      },
    });
    told.push('accepted');
    await drive(run, federation({ silos: [silo] }), { start, random: seededRandom('coins') });
    await silo.end('done');
    told.push('done');
  } catch (error) {
    told.push(`${refusalOf(error)}: ${(error as Error).message}`);
  } finally {
    house.close();
  }
  return { server: told, owner: warnings };
}

const text = { ...plain.read.columns, kind: 'text' };
const cases: Readonly<Record<string, readonly [Asked, Readonly<Record<string, string>>]>> = {
  'a text where a number is read': [
    { data: { ...plain, read: { columns: { ...plain.read.columns, note: 'number' }, fill: { note: 0 } } } },
    { note: 'cancer' },
  ],
  'a missing number that nothing stands in for': [{ data: plain }, { y: '' }],
  'a class that is not declared': [
    {
      data: {
        read: { columns: text },
        design: { features: [scale], label: { column: 'kind', classes: ['a', 'b'] } },
      },
      loss: { name: 'softmax', params: { classes: 2 } },
    },
    { kind: 'z' },
  ],
  'a label that the loss does not take': [
    {
      data: {
        read: { columns: { x: 'number', y: 'number' } },
        design: { features: [scale], label: { column: 'y', unit: 1, offset: 0 } },
      },
      loss: { name: 'poisson-regression' },
      record: { labelBound: 3 },
    },
    { y: '-1' },
  ],
  'a number that is no instant': [
    {
      data: {
        read: { columns: { ...plain.read.columns, when: 'number' } },
        design: {
          features: [scale, { column: 'when', encoding: 'cyclic', part: 'hour' }],
          label: above,
        },
      },
    },
    { when: '1e300' },
  ],
  'a record of fewer fields': [{ data: plain }, { raw: 'p7,0.7,1' }],
};

describe('a server that proposes a plan', () => {
  it.each(Object.keys(cases))('learns nothing of %s, before the owner agrees or after', async (what) => {
    const [asked, other] = cases[what];
    const plan = planOf(asked, rows, 'record');
    const [usual, changed] = [file('usual'), file('changed', other)];
    // Before the answer of the owner all of them are read alike.
    for (const yes of what.startsWith('a text') ? [true, false] : [true]) {
      const [here, there] = [await seen(usual, plan, { yes }), await seen(changed, plan, { yes })];
      expect(there.server).toStrictEqual(here.server);
      expect(there.server.at(-1)).toMatch(yes ? /^done$/u : /still waits for the owner/u);
      if (yes) expect(here.owner.join()).not.toMatch(/cannot be used/u);
      if (yes) expect(there.owner.join()).toMatch(/1 of the records cannot be used/u);
    }
  });

  it('learns nothing of a record of an owner of several either', async () => {
    const owned = { ...plain, owner: { column: 'who', ids: 'number', most: 10 } };
    const plan = planOf({ data: owned }, rows, 'owner');
    const [here, there] = [
      await seen(file('owned'), plan, { yes: true, owner: 'who' }),
      await seen(file('owned-other', { y: 'none' }), plan, { yes: true, owner: 'who' }),
    ];
    expect(here.server.at(-1)).toBe('done');
    expect(there.server).toStrictEqual(here.server);
  });

  it.each([
    ['no-column', { ...plain, read: { columns: { ...plain.read.columns, height: 'number' } } }],
    ['wrong-optimizer', { ...plain, read: { ...plain.read, columns: { x: 'text', y: 'number' } } }],
    ['wrong-optimizer', { ...plain, read: { ...plain.read, quotes: false } }],
    ['wrong-optimizer', { ...plain, read: { ...plain.read, maxRows: 5 } }],
    ['wrong-optimizer', { ...plain, read: { ...plain.read, header: ['x', 'y'] } }],
  ])('hears %s of a plan that does not fit the form of the file: %j', async (code, data) => {
    const usual = planOf({ data: plain }, rows, 'record');
    const wrong = { ...(usual.sealed.plan.data as object), data } as never;
    const sealed: SealedPlan = sealedPlan({ ...usual.sealed.plan, data: wrong });
    const { server: told } = await seen(file('form'), { ...usual, sealed }, { yes: true });
    expect(told.at(-1)).toMatch(new RegExp(`^${code}: `, 'u'));
  });

  it('is refused before records are read where these would have other weights than its run', async () => {
    const usual = planOf({ data: plain }, rows, 'record');
    const hashed = { columns: ['kind'], encoding: 'hashed', buckets: 2 ** 20 };
    const data = { read: { columns: text }, design: { features: [scale, hashed], label: above } };
    const wrong = { ...(usual.sealed.plan.data as object), data } as never;
    const sealed: SealedPlan = sealedPlan({ ...usual.sealed.plan, data: wrong });
    const path = file('large');
    const { server: told, owner } = await seen(
      path,
      { ...usual, sealed },
      {
        yes: true,
        afterCount: () => rmSync(path),
      },
    );
    expect(told.at(-1)).toMatch(/^wrong-optimizer: .* for 1048578 weights, and its run has 2$/u);
    expect(owner).toStrictEqual([]);
  });

  it('waits, and hears no reason, where the file cannot be read any more', async () => {
    const path = file('broken');
    const plan = planOf({ data: plain }, rows, 'record');
    const { server: told, owner } = await seen(path, plan, {
      yes: true,
      afterCount: () => writeFileSync(path, 'who,x,y\n"'),
    });
    expect(told.at(-1)).toContain('still waits for the owner');
    expect(owner.join()).toMatch(/quote/u);
  });
});
