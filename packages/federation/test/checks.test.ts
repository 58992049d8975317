import {
  Corrupt,
  defined,
  drive,
  memoryStore,
  secureRandom,
  seededRandom,
  type Query,
  type Store,
} from '@lethe/core';
import { federation, siloCurator, type Agreement, type Link } from '@lethe/curator/federation';
import { encode } from '@lethe/numerics';
import { accountants, bestOf } from '@lethe/accountants';
import { describe, expect, it } from 'vitest';
import { answerFrom, namedQueryParts, queryParts } from '../src/bodies.js';
import { joinedBytes } from '../src/bytes.js';
import { narrowSize } from '../src/narrow.js';
import { cutFrames, framesOf, frameOverhead, largestPart, type Envelope } from '../src/frame.js';
import { pairKeys } from '../src/frame-keys.js';
import {
  refusalOf,
  siloService,
  type OpenedRun,
  type RefusalCode,
  type SiloEvent,
  type SiloOptions,
} from '../src/index.js';
import { namesOf } from '../src/points-for-all.js';
import { refusalFrom } from '../src/refusal.js';
import { readPlan, sealedPlan, signedText, type FederatedPlan } from '../src/plan.js';
import { noPlan, noRun, stranger } from '../src/silo.js';
import { identityOf, opening, publicCoins, registry, remotes, worldOf, type World } from './support/world.js';

const driving = (world: World) => ({ start: world.start, random: publicCoins() });
const codeOf = async (failing: Promise<unknown>): Promise<RefusalCode | undefined> =>
  refusalOf(
    await failing.then(
      () => new Error('nothing was refused'),
      (error: unknown) => error,
    ),
  );

/** What a silo of this world, changed, says to its plan, changed too and signed by the server. */
async function agreeing(
  change: Partial<FederatedPlan> = {},
  more: (world: World) => Partial<SiloOptions> = () => ({}),
): Promise<RefusalCode | undefined> {
  const world = worldOf();
  const sealed = sealedPlan({ ...world.plan, ...change });
  return codeOf(remotes({ ...world, sealed }, [world.service(0, more(world))]));
}

describe('before the first answer a silo checks', () => {
  it('1: that its server signed the plan, and that it is in it', async () => {
    const other = identityOf('another server');
    const world = worldOf();
    expect(await codeOf(remotes(world, [world.service(0, { serverKey: other.public })]))).toBeUndefined();
    expect(await agreeing({ server: other.public.text })).toBe('wrong-signature');
    const keys = pairKeys(
      { own: world.server, other: world.silos[0].public, ownParty: 0, otherParty: stranger },
      noPlan,
      'frame',
    );
    const proposed = async (plan: FederatedPlan, signature?: Uint8Array): Promise<unknown> => {
      const sealed = sealedPlan(plan);
      const events: SiloEvent[] = [];
      const signed = signature ?? world.server.sign(signedText('server', sealed.digest));
      await world
        .service(0, { onEvent: (event) => events.push(event) })
        .request(
          framesOf(
            { kind: 'plan', flags: 0, from: 0, to: stranger, attempt: 0, round: 0, run: noRun, plan: noPlan },
            encode({ plan: sealed.bytes, signature: signed }),
            keys.sent,
          ),
        );
      return events[0]?.what === 'refused' ? events[0].code : events[0]?.what;
    };
    expect(await proposed(world.plan, new Uint8Array(64))).toBe('wrong-signature');
    expect(await proposed(world.plan, new Uint8Array(3))).toBe('wrong-signature');
    const [first, ...rest] = world.plan.silos;
    const without = [{ ...first, key: identityOf('someone').public.text }, ...rest];
    expect(await proposed({ ...world.plan, silos: without })).toBe('not-in-plan');
    expect(await proposed(world.plan)).toBe('waiting-for-owner');
  });

  it('2: that it has the records, and the same ones as before', async () => {
    expect(await agreeing({}, () => ({ records: 11 }))).toBe('wrong-records');
    expect(await agreeing({ agreement: changedProblem({ slots: [13, 12, 12] }) })).toBe('wrong-records');
    const world = worldOf();
    await remotes(world, [world.service(0)]);
    const others = worldOf({ seed: 'other records' });
    const events: SiloEvent[] = [];
    const again = world.service(0, {
      open: (run) => opening(others, run, world.stores[0].ledger),
      onEvent: (event) => events.push(event),
    });
    expect(await codeOf(remotes(world, [again]))).toBe('data-changed');
  });

  it('3: that its ledger has room for the cost it works out, and is of the adjacency and unit', async () => {
    const tight = worldOf({ limit: { epsilon: 0.5, delta: 1e-6, accountant: bestOf(accountants) } });
    expect(await codeOf(remotes(tight, [tight.service(0)]))).toBe('no-room');
    const roomy = worldOf({ limit: { epsilon: 1.01, delta: 1e-6, accountant: bestOf(accountants) } });
    expect(await codeOf(remotes(roomy, [roomy.service(0)]))).toBe(undefined);
    // What a server says of the cost or of the noise is not believed.
    const { plan } = worldOf().plan.agreement;
    const cheaper = { ...plan, plan: { ...plan.plan, noiseMultiplier: 0.1 } } as Agreement['plan'];
    expect(await agreeing({ agreement: { ...worldOf().plan.agreement, plan: cheaper } })).toBe(
      'wrong-optimizer',
    );
    expect(await agreeing({ agreement: changedProblem({ adjacency: 'zero-out' }) })).toBe('wrong-adjacency');
    expect(await agreeing({ unit: 'owner', cap: 3 })).toBe('wrong-unit');
  });

  it('4: that the optimizer of its own registry takes the plan, and the start is in the domain', async () => {
    const { agreement } = worldOf().plan;
    const plan = { ...agreement.plan, optimizer: 'another' };
    expect(await agreeing({ agreement: { ...agreement, plan } })).toBe('wrong-optimizer');
    const unclipped = {
      ...agreement.plan,
      plan: { ...agreement.plan.plan, clipNorm: -1 },
    } as Agreement['plan'];
    expect(await agreeing({ agreement: { ...agreement, plan: unclipped } })).toBe('wrong-optimizer');
    expect(await agreeing({ agreement: { ...agreement, start: [1, 1, 0, 0] } })).toBe('start-outside');
  });

  it('5: that its randomness is the system’s', async () => {
    expect(await agreeing({}, () => ({ allowSimulation: false }))).toBe('seeded-coins');
    expect(
      await agreeing({}, (world) => ({
        allowSimulation: false,
        open: ({ sealed, silo }) =>
          siloCurator({
            data: world.data(silo, world.stores[silo].ledger),
            registry,
            agreement: sealed.plan.agreement,
            silo,
            random: secureRandom(),
          }),
      })),
    ).toBe(undefined);
  });

  it('6: that its owner agrees, whom it asks once', async () => {
    let asked = 0;
    const declines = () => ({
      confirm: () => {
        asked += 1;
        return Promise.resolve(false);
      },
    });
    expect(await agreeing({}, declines)).toBe('owner-declined');
    expect(asked).toBe(1);
    const world = worldOf();
    let decide: (yes: boolean) => void = () => undefined;
    const service = world.service(0, {
      confirm: () =>
        new Promise((resolve) => {
          decide = resolve;
        }),
    });
    let pauses = 0;
    await remotes(world, [service], {
      pause: () => {
        pauses += 1;
        if (pauses === 3) decide(true);
        return Promise.resolve();
      },
    });
    expect(pauses).toBeGreaterThanOrEqual(3);
    // What was agreed to stands on record: no owner is asked after a restart.
    await remotes(world, [world.service(0, declines())]);
    expect(asked).toBe(1);
  });

  it('6: that no other plan stands in for one it has agreed to, also after a restart', async () => {
    const world = worldOf();
    let asked = 0;
    const confirm = () => {
      asked += 1;
      return Promise.resolve(true);
    };
    const service = world.service(0, { confirm });
    await remotes(world, [service]);
    const other = { ...world, sealed: sealedPlan({ ...world.plan, title: 'another run' }) };
    for (const one of [service, world.service(0, { confirm })])
      expect(await codeOf(remotes(other, [one]))).toBe('wrong-plan');
    expect(asked).toBe(1);
  });
});

function changedProblem(change: Partial<Agreement['plan']['problem']>): Agreement {
  const { agreement } = worldOf().plan;
  const { plan } = agreement;
  return { ...agreement, plan: { ...plan, problem: { ...plan.problem, ...change } } };
}

/** A silo that has agreed, its server's keys, and what a message of its run looks like. */
async function agreed(more: Partial<SiloOptions> = {}, given: World = worldOf({ silos: 1 })) {
  const world = given;
  const events: SiloEvent[] = [];
  const service = world.service(0, {
    ...more,
    onEvent: (event) => {
      events.push(event);
      more.onEvent?.(event);
    },
  });
  const [silo] = await remotes(world, [service]);
  const { run, digest } = world.sealed;
  const keys = pairKeys(
    { own: world.server, other: world.silos[0].public, ownParty: 0, otherParty: 1 },
    digest,
    'frame',
  );
  const envelope: Envelope = {
    kind: 'query',
    flags: 0,
    from: 0,
    to: 1,
    attempt: 0,
    round: 0,
    run,
    plan: digest,
  };
  events.length = 0;
  /** The code with which the silo refuses these bytes, by its own log. */
  const refused = async (bytes: Uint8Array): Promise<string | undefined> => {
    const before = events.length;
    await service.request(bytes);
    const event = events.slice(before).find(({ what }) => what === 'refused');
    return event?.what === 'refused' ? event.code : undefined;
  };
  return { world, service, silo, keys, envelope, events, refused };
}
/** A query of a server that has no answers yet, as one that lies says. */
const point = (world: World, first = 0.1, known = 0): Uint8Array => asked(world, [first], known);
/** Of the newest point, and those before. */
const asked = (world: World, firsts: readonly number[], known = 0): Uint8Array => {
  const points = firsts.map((first) =>
    Float64Array.from({ length: world.size.dimension }, (_, j) => (j === 0 ? first : 0)),
  );
  return joinedBytes(queryParts(known, points));
};
/** Answers the set-up and some rounds. */
async function answered(rounds: number, more: Partial<SiloOptions> = {}, given?: World) {
  const all = await agreed(more, given);
  let queries = 0;
  await drive(all.world.run, federation({ silos: [all.silo] }), {
    ...driving(all.world),
    signal: {
      throwIfAborted() {
        if (queries++ === 2 + rounds) throw new Error('enough');
      },
    },
  }).catch(() => undefined);
  all.events.length = 0;
  return all;
}

describe('of each message a silo checks', () => {
  it('7: its tag, run, plan, direction, kind and length', async () => {
    const { world, keys, envelope, refused } = await answered(1);
    const { sent } = keys;
    const body = point(world);
    const good: Envelope = { ...envelope, round: 3 };
    const changed = (bytes: Uint8Array, at: number): Uint8Array => {
      const copy = bytes.slice();
      copy[at] ^= 1;
      return copy;
    };
    const frame = framesOf(good, body, sent);
    expect(await refused(changed(frame, 80))).toBe('wrong-tag');
    expect(await refused(changed(frame, frame.length - 1))).toBe('wrong-tag');
    expect(await refused(framesOf(good, body, keys.received))).toBe('wrong-tag');
    expect(await refused(framesOf({ ...good, run: new Uint8Array(16) }, body, sent))).toBe('wrong-run');
    expect(await refused(framesOf({ ...good, plan: new Uint8Array(32) }, body, sent))).toBe('wrong-plan');
    expect(await refused(framesOf({ ...good, from: 2 }, body, sent))).toBe('wrong-party');
    expect(await refused(framesOf({ ...good, to: 2 }, body, sent))).toBe('wrong-party');
    expect(await refused(framesOf({ ...good, kind: 'answer' }, body, sent))).toBe('wrong-kind');
    expect(await refused(framesOf(good, body.subarray(8), sent))).toBe('wrong-length');
    expect(await refused(framesOf(good, new Uint8Array(2 * largestPart), sent))).toBe('wrong-length');
    expect(await refused(framesOf(good, new Uint8Array(3 * body.length), sent))).toBe('wrong-length');
    expect(await refused(framesOf({ ...good, flags: 2 }, body, sent))).toBe('wrong-query');
    expect(await refused(framesOf({ ...good, flags: 1 }, body.subarray(1), sent))).toBe('wrong-length');
    expect(await refused(framesOf(good, new Uint8Array(3), sent))).toBe('wrong-length');
    expect(await refused(framesOf(good, new Uint8Array(4), sent))).toBe('wrong-query');
    expect(await refused(changed(frame, 3))).toBe('unknown-version');
    expect(await refused(changed(frame, 0))).toBe('malformed-frame');
    expect(await refused(frame.subarray(0, 60))).toBe('malformed-frame');
    expect(await refused(frame)).toBe(undefined);
  });

  it('7: that it is no longer than the plan implies, to the byte', async () => {
    const { world, service, silo, keys, envelope, events } = await answered(1);
    const { dimension, rounds, batchSize } = world.size;
    const said = async (bytes: Uint8Array): Promise<string> => {
      await service.request(bytes);
      const event = events.at(-1);
      return event?.what === 'refused' ? String((event.error as Error).message) : 'no refusal';
    };
    const most = 64 * 1024 + 2 * 8 * dimension;
    const ofLength = (length: number) =>
      said(framesOf({ ...envelope, round: 3 }, new Uint8Array(length), keys.sent));
    expect(await ofLength(most + 1)).toMatch(new RegExp(`the plan implies at most ${most}$`, 'u'));
    // Of that length it is read, and found to be no query.
    expect(await ofLength(most)).toMatch(/^a query has/u);
    // Before there is a plan: a plan of 4 MiB, and what is said of it.
    const introduction = pairKeys(
      { own: world.server, other: world.silos[0].public, ownParty: 0, otherParty: stranger },
      noPlan,
      'frame',
    );
    const hello = { ...envelope, kind: 'hello', to: stranger, run: noRun, plan: noPlan } as const;
    const longest = 4 * 2 ** 20 + 1024;
    const beyond = framesOf(hello, new Uint8Array(longest + 1), introduction.sent);
    expect(await said(beyond)).toMatch(new RegExp(`the plan implies at most ${longest}$`, 'u'));
    const before = events.length;
    const [frame] = cutFrames(
      await service.request(framesOf(hello, new Uint8Array(longest), introduction.sent)),
    );
    expect([frame[4], events.length]).toStrictEqual([1, before]);
    // And of a reply: the names of as many batches as there are records.
    const least = most + 512 * rounds * batchSize;
    const replies = (length: number): Link => ({
      request: (bytes) => {
        const [asking] = cutFrames(bytes);
        if (asking[4] !== 4) return service.request(bytes);
        const reply = { ...envelope, kind: 'answer', from: 1, to: 0, round: 3 } as const;
        return Promise.resolve(framesOf(reply, new Uint8Array(length), keys.received));
      },
    });
    const askedOver = async (length: number): Promise<string> => {
      const [remote] = await remotes(world, [replies(length)], { attempts: 1 });
      const query: Query = { ask: 'push', of: { terms: [{ weight: 1, at: world.start }] } } as never;
      return String(await remote.answer(3, query).catch((error: unknown) => error));
    };
    expect(await askedOver(least + 1)).toContain(`the plan implies at most ${least}`);
    // Of that length it is read, and found to be no answer.
    expect(await askedOver(least)).toContain('encoded value');
    expect(silo.recorded()).toBe(3);
  });

  it('8: its round: the last one again, the next one, and no other', async () => {
    const { world, service, keys, envelope, refused, silo } = await answered(2);
    const ask = (round: number, first?: number): Uint8Array =>
      framesOf({ ...envelope, round }, point(world, first), keys.sent);
    expect(await refused(ask(3, 0.3))).toBe('changed-round');
    expect(await refused(ask(2))).toBe('past-round');
    expect(await refused(ask(8))).toBe('beyond-plan');
    expect(await refused(ask(4))).toBe(undefined);
    const told = await service.request(ask(4));
    expect(await service.request(ask(4))).toStrictEqual(told);
    // After a restart as well, from what was stored before it was sent.
    expect(await world.service(0).request(ask(4))).toStrictEqual(told);
    expect(await refused(ask(4, 0.2))).toBe('changed-round');
    expect(silo.recorded()).toBe(4);
    const [frame] = cutFrames(told);
    expect(answerFrom(frame.slice(72, -32), frame[5], world.size.dimension).answer).toHaveLength(4);
    // It does not matter which answers the server admits to, so long as the silo knows them.
    const admitting = (known: number) =>
      framesOf({ ...envelope, round: 4 }, point(world, 0.1, known), keys.sent);
    for (const known of [0, 2, 5]) expect(await service.request(admitting(known))).toStrictEqual(told);
    expect(await refused(ask(6))).toBe('skipped-round');
    expect(await refused(ask(5))).toBe('ended');
  });

  it('8: the point before, which it knows by its digest after a restart', async () => {
    const { world, keys, envelope } = await answered(1);
    const events: SiloEvent[] = [];
    const again = world.service(0, { onEvent: (event) => events.push(event) });
    const saidTo = async (...firsts: readonly number[]): Promise<string> => {
      await again.request(framesOf({ ...envelope, round: 3 }, asked(world, firsts), keys.sent));
      const event = events.at(-1);
      return event?.what === 'refused' ? event.code : String(event?.what);
    };
    expect(await saidTo(0.1, 0.4)).toBe('wrong-query');
    expect(again.standing()?.answered).toBe(3);
    expect(await saidTo(0.1, 0)).toBe('answered');
  });

  it('8: a query about no point, which it tells from one about some, and which leaves the point before', async () => {
    const world = worldOf({ silos: 1, rounds: 2, optimizer: 'pausing' });
    const { keys, envelope, refused, service } = await answered(1, {}, world);
    const ask = (round: number, ...firsts: readonly number[]): Uint8Array =>
      framesOf({ ...envelope, round }, asked(world, firsts), keys.sent);
    const told = await service.request(ask(3));
    expect(told[4]).toBe(5);
    expect(await service.request(ask(3))).toStrictEqual(told);
    expect(await refused(ask(3, 0.1))).toBe('changed-round');
    // A silo that is started again knows by its digest the point before the query about none.
    const events: SiloEvent[] = [];
    const again = world.service(0, { onEvent: (event) => events.push(event) });
    expect(await again.request(ask(3))).toStrictEqual(told);
    expect((await again.request(ask(4, 0.1, 0.4)))[4]).toBe(6);
    expect(events.at(-1)).toMatchObject({ what: 'refused', code: 'wrong-query' });
    expect((await again.request(ask(4, 0.1, 0)))[4]).toBe(5);
  });

  it('8: a query that names its point, which came to all silos: the same query as one that has it', async () => {
    const { world, service, keys, envelope, events, refused, silo } = await answered(1);
    const bytesAt = (first: number): Uint8Array => point(world, first).slice(4);
    const naming = (round: number, first: number, known = 0): Uint8Array =>
      framesOf(
        { ...envelope, round, flags: 1 },
        joinedBytes(namedQueryParts(known, namesOf(bytesAt(first)))),
        keys.sent,
      );
    const whole = (round: number, first: number): Uint8Array =>
      framesOf({ ...envelope, round }, point(world, first), keys.sent);
    const codeIn = (reply: Uint8Array): RefusalCode | undefined =>
      reply[4] === 6 ? refusalOf(refusalFrom(reply.slice(72, -32))) : undefined;
    // A piece that is not there is no offence: nothing is told or charged.
    expect(codeIn(await service.request(naming(3, 0.1)))).toBe('lacks-point');
    service.take(bytesAt(0.2));
    expect(codeIn(await service.request(naming(3, 0.1)))).toBe('lacks-point');
    expect([events.length, silo.recorded()]).toStrictEqual([0, 3]);
    const given = bytesAt(0.1);
    service.take(given);
    // Copied when it came.
    given.fill(0);
    const told = await service.request(naming(3, 0.1));
    const twin = await answered(1);
    expect(told).toStrictEqual(await twin.service.request(whole(3, 0.1)));
    expect(told[4]).toBe(5);
    for (const again of [naming(3, 0.1), whole(3, 0.1)])
      for (const one of [service, world.service(0)]) expect(await one.request(again)).toStrictEqual(told);
    expect(await refused(naming(3, 0.2))).toBe('changed-round');
    expect(await refused(whole(3, 0.2))).toBe('changed-round');
    expect(await refused(naming(2, 0.1))).toBe('past-round');
    for (const [first, code] of [
      [Number.NaN, 'not-finite'],
      [40, 'outside-domain'],
    ] as const) {
      service.take(bytesAt(first));
      expect(await refused(naming(4, first))).toBe(code);
    }
    expect((await service.request(whole(4, 0.3)))[4]).toBe(5);
    expect(await refused(naming(5, 0.2, 6))).toBe('rolled-back');
  });

  it('9: that numbers are finite and points in the domain', async () => {
    const { world, keys, envelope, refused } = await answered(0);
    const ask = (round: number, first: number): Uint8Array =>
      framesOf({ ...envelope, round }, point(world, first), keys.sent);
    for (const odd of [Number.NaN, Infinity]) expect(await refused(ask(2, odd))).toBe('not-finite');
    expect(await refused(ask(2, 40))).toBe('outside-domain');
    expect(await refused(ask(2, 1 + 2 ** -20))).toBe('outside-domain');
    // Rounding of projections is no reason to refuse, nor a step that the method would not take.
    expect(await refused(ask(2, 1 + 2 ** -45))).toBe(undefined);
    expect(await refused(ask(3, -1))).toBe(undefined);
  });

  it('10: nothing that depends on its records: answers to any server have one form', async () => {
    const { world, service, keys, envelope } = await answered(0);
    const lengths = new Set<number>();
    for (const [i, first] of [1, -1, 0].entries()) {
      const told = await service.request(
        framesOf({ ...envelope, round: 2 + i }, point(world, first), keys.sent),
      );
      lengths.add(told.length);
      expect(told[4]).toBe(5);
    }
    expect([...lengths]).toStrictEqual([narrowSize(world.size.dimension) + 16 + frameOverhead]);
  });

  it('11: that an answer is stored before it is sent', async () => {
    const inner = memoryStore();
    let isFull = false;
    const store: Store = {
      ...inner,
      append(bytes) {
        if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        inner.append(bytes);
      },
    };
    const { world, keys, envelope, refused, service } = await answered(1, { store });
    const ask = (round: number, ...firsts: readonly number[]): Uint8Array =>
      framesOf({ ...envelope, round }, asked(world, firsts), keys.sent);
    isFull = true;
    expect(await refused(ask(3, 0.1))).toBe('not-stored');
    const stuck = await service.request(ask(3, 0.1));
    expect(stuck[4]).toBe(6);
    isFull = false;
    // With room again, and a new process, the answer is that of the charge on record: it does not know the
    // point of query 2 any more, and takes no other one for it.
    const events: SiloEvent[] = [];
    const again = world.service(0, {
      store: memoryStore(inner.read()),
      onEvent: (event) => events.push(event),
    });
    const saidTo = async (bytes: Uint8Array): Promise<string | undefined> => {
      const [frame] = cutFrames(await again.request(bytes));
      return frame[4] === 6 ? refusalOf(refusalFrom(frame.slice(72, -32))) : undefined;
    };
    expect(await saidTo(ask(3, 0.1))).toBe('lacks-point');
    expect(events).toStrictEqual([]);
    expect(await saidTo(ask(3, 0.1, 0.4))).toBe('wrong-query');
    expect(await saidTo(ask(3, 0.2, 0))).toBe('changed-round');
    const told = await again.request(ask(3, 0.1, 0));
    expect(told[4]).toBe(5);
    expect(await again.request(ask(3, 0.1, 0))).toStrictEqual(told);
    expect(await again.request(ask(3, 0.1))).toStrictEqual(told);
  });

  it('11: that its ledger has the charge, and nothing more where the disk fails', async () => {
    const world = worldOf({ silos: 1 });
    const { ledger, log } = world.stores[0];
    let isFull = false;
    const store: Store = {
      ...ledger,
      append(bytes) {
        if (isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'write' });
        ledger.append(bytes);
      },
    };
    const open = (run: OpenedRun) => opening(world, run, store);
    const { keys, envelope, refused } = await answered(1, { open }, world);
    const ask = (...firsts: readonly number[]): Uint8Array =>
      framesOf({ ...envelope, round: 3 }, asked(world, firsts), keys.sent);
    isFull = true;
    // The server waits for it, as for any silo that is away.
    expect(await refused(ask(0.1))).toBe('not-stored');
    isFull = false;
    // Only a new process knows what is on disk.
    expect(await refused(ask(0.1))).toBe('not-stored');
    const again = world.service(0, { store: memoryStore(log.read()) });
    expect((await again.request(ask(0.1, 0)))[4]).toBe(5);
    expect(again.standing()?.answered).toBe(4);
  });

  it('11: that neither of its logs was rolled back', async () => {
    for (const which of ['ledger', 'log'] as const) {
      const world = worldOf({ silos: 1 });
      const { keys, envelope, service: live } = await answered(2, {}, world);
      const before = memoryStore(world.stores[0][which].read());
      const ask = (round: number): Uint8Array => framesOf({ ...envelope, round }, point(world), keys.sent);
      for (const round of [4, 5]) expect((await live.request(ask(round)))[4]).toBe(5);
      const stores = { ...world.stores[0], [which]: before };
      const events: SiloEvent[] = [];
      const restored = siloService(
        worldOf({ silos: 1 }).options(0, {
          store: stores.log,
          onEvent: (event) => events.push(event),
          open: (run) => opening(world, run, stores.ledger),
        }),
      );
      await restored.request(ask(6));
      await restored.request(ask(6));
      expect(events.map((event) => (event.what === 'refused' ? event.code : event.what))).toStrictEqual([
        'ended',
        'rolled-back',
        'ended',
      ]);
    }
  });

  it('12: kinds of secure sums, and refuses them in other runs', async () => {
    const { keys, envelope, refused } = await agreed();
    for (const kind of ['keys', 'shares', 'start', 'set', 'reveal'] as const)
      expect(await refused(framesOf({ ...envelope, kind }, new Uint8Array(3), keys.sent))).toBe('wrong-kind');
  });
});

describe('hostile bytes', () => {
  it('that are written where requests and replies lay, once they were read, change nothing', async () => {
    const drawn = async (linkTo: (world: World, silo: number) => Link): Promise<Float64Array> => {
      const world = worldOf({ silos: 2, rounds: 3, gaps: true });
      const links = world.silos.map((_, silo) => linkTo(world, silo));
      const silos = await remotes(world, links);
      return (await drive(world.run, federation({ silos }), driving(world))).output;
    };
    const scribbling = (world: World, silo: number): Link => {
      let service = world.service(silo);
      const carried = async (bytes: Uint8Array): Promise<Buffer> => {
        // In memory with other bytes before and behind it, as of a socket.
        const pool = Buffer.alloc(bytes.length + 24, 0xaa);
        pool.set(bytes, 13);
        const reply = await service.request(pool.subarray(13, 13 + bytes.length));
        pool.fill(0x55);
        expect(reply.buffer.byteLength).toBe(reply.length);
        const given = Buffer.concat([reply, Buffer.alloc(24, 0xbb)]).subarray(0, reply.length);
        reply.fill(0x66);
        return given;
      };
      return {
        async request(bytes) {
          if (bytes[4] !== 4) return await carried(bytes);
          // Asked again, also after a restart, it says the same.
          const first = await carried(bytes);
          expect((await carried(bytes)).equals(first)).toBe(true);
          service = world.service(silo);
          return await carried(bytes);
        },
      };
    };
    const plain = await drawn((world, silo) => world.service(silo));
    expect(await drawn(scribbling)).toStrictEqual(plain);
  });

  it('are refused, 2000 of them, with a typed code each and none uncaught', async () => {
    const { world, service, keys, envelope, events } = await answered(1);
    const dice = seededRandom('hostile');
    const frames = [
      framesOf({ ...envelope, round: 3 }, point(world), keys.sent),
      framesOf({ ...envelope, kind: 'plan', round: 0 }, world.sealed.bytes, keys.sent),
      framesOf({ ...envelope, kind: 'hello' }, encode({ version: 9 }), keys.sent),
      framesOf({ ...envelope, kind: 'end' }, encode({ reason: 3 }), keys.received),
      framesOf({ ...envelope, kind: 'shares' }, dice.bytes(700_000), keys.received),
    ];
    const hostile = (): Uint8Array => {
      const from = frames[dice.integer(frames.length)];
      const way = dice.integer(5);
      if (way === 0) return dice.bytes(dice.integer(400));
      if (way === 1) return from.subarray(0, dice.integer(Math.min(from.length, 4000)));
      const bytes = from.slice(0, way === 4 ? from.length : Math.min(from.length, 4000));
      bytes[dice.integer(Math.min(bytes.length, 90))] ^= 1 + dice.integer(255);
      return way === 3 ? new Uint8Array(Buffer.concat([bytes, from.subarray(0, 100)])) : bytes;
    };
    const before = service.standing()?.answered;
    for (let i = 0; i < 2000; i++) {
      const reply = await service.request(hostile());
      // Parts of what never becomes a message have no reply; all other replies are refusals.
      if (reply.length > 0) expect(reply[4]).toBe(6);
    }
    const codes = events.map((event) => (event.what === 'refused' ? event.code : event.what));
    expect(codes).not.toContain('failed');
    expect(new Set(codes).size).toBeGreaterThanOrEqual(3);
    expect(service.standing()?.answered).toBe(before);
    // Authentic messages without sense are refused as well: the server is not trusted.
    let sense = 0;
    for (let i = 0; i < 500; i++) {
      const kind = (['query', 'shares', 'answer', 'accept'] as const)[dice.integer(4)];
      // A query that skips some ends the run: all others, past, next and beyond the plan.
      const drawn = dice.integer(12);
      const round = drawn < 8 ? Math.min(drawn, 3 + sense) : drawn;
      const body = dice.bytes(dice.integer(200));
      // So does a server that says it has later answers.
      body.fill(0, 0, 4);
      const reply = await service.request(
        framesOf({ ...envelope, kind, flags: dice.integer(4), round }, body, keys.sent),
      );
      if (reply[4] === 5) sense += 1;
    }
    expect(defined(service.standing()).answered).toBe(defined(before) + sense);
  });

  it('that are no bytes reject, and so does a request whose owner throws; later ones have replies', async () => {
    let isGone = false;
    const { world, service, keys, envelope } = await answered(1, {
      onEvent: () => {
        if (isGone) throw new Error('the terminal is gone');
      },
    });
    const ask = (given: unknown): Promise<Uint8Array> => service.request(given as Uint8Array);
    for (const none of [-1, Symbol('bytes')]) await expect(ask(none)).rejects.toBeInstanceOf(Error);
    for (const none of [undefined, null, 7, 'bytes', {}]) expect((await ask(none))[4]).toBe(6);
    isGone = true;
    await expect(service.request(Uint8Array.of(1, 2, 3))).rejects.toThrow('the terminal is gone');
    isGone = false;
    const reply = await service.request(framesOf({ ...envelope, round: 3 }, point(world), keys.sent));
    expect(reply[4]).toBe(5);
  });

  it('do not reach the server as answers', async () => {
    const { world, service } = await answered(0);
    const dice = seededRandom('hostile replies');
    const mangled: Link = {
      async request(bytes) {
        const reply = (await service.request(bytes)).slice();
        reply[dice.integer(reply.length)] ^= 1 + dice.integer(255);
        return reply;
      },
    };
    for (let i = 0; i < 50; i++)
      await expect(remotes(world, [mangled], { attempts: 2 })).rejects.toThrow(/out of reach/u);
  });
});

describe('a plan', () => {
  it('has one form in bytes', () => {
    const { plan, sealed } = worldOf();
    expect(readPlan(sealed.bytes)).toStrictEqual(sealed);
    expect(() => readPlan(sealed.bytes.slice(0, -1))).toThrow(Corrupt);
    expect(() => readPlan(encode({ ...plan, more: 1 }))).toThrow(/the plan is not valid/u);
    expect(sealedPlan({ ...plan, title: 'another' }).digest).not.toStrictEqual(sealed.digest);
    // Of format 1, as logs of silos have it: the same plan, under its own bytes and digest.
    const first = encode({ ...plan, v: 1, unit: 'user', cap: 3 });
    const read = readPlan(first);
    expect(read.plan).toStrictEqual(sealedPlan({ ...plan, unit: 'owner', cap: 3 }).plan);
    expect(read.bytes).toStrictEqual(first);
    expect(read.digest).not.toStrictEqual(sealedPlan(read.plan).digest);
    expect(() => readPlan(encode({ ...plan, v: 1, unit: 'owner', cap: 3 }))).toThrow(/not valid/u);
    expect(() => readPlan(encode({ ...plan, unit: 'user', cap: 3 }))).toThrow(/not valid/u);
    expect(signedText('server', sealed.digest)).not.toStrictEqual(signedText('silo', sealed.digest));
  });

  it('is checked as a whole', () => {
    const { plan } = worldOf();
    const [first, second] = plan.silos;
    const faults: readonly [Partial<FederatedPlan>, RegExp][] = [
      [{ silos: [first, { ...second, name: first.name }] }, /one name/u],
      [{ silos: [first, { ...second, key: first.key }] }, /one key/u],
      [{ unit: 'owner' }, /cap/u],
      [{ cap: 3 }, /cap/u],
      [{ server: 'nobody' }, /public key/u],
      [{ silos: [first] }, /planned for 3 silos, and 1/u],
      [{ agreement: { ...plan.agreement, run: 'mine' } }, /32 hexadecimal/u],
      [{ deadline: -1 }, /deadline/u],
    ];
    for (const [change, message] of faults) expect(() => sealedPlan({ ...plan, ...change })).toThrow(message);
  });
});
