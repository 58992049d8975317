import { drive, type Corrupt } from '@lethe/core';
import { federation, type Link } from '@lethe/curator/federation';
import { decode, encode } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import {
  createAssembler,
  cutFrames,
  framesOf,
  frameOverhead,
  kinds,
  largestPart,
  planIn,
} from '../src/frame.js';
import { pairKeys } from '../src/frame-keys.js';
import { meetSilo, pointsForAll, refusalOf, type SiloEvent } from '../src/index.js';
import { noPlan, noRun, stranger } from '../src/silo.js';
import { publicCoins, remotes, worldOf, type World } from './support/world.js';

const reach = (world: World) => ({ identity: world.server, siloKey: world.silos[0].public, attempts: 2 });
/** What a server hears of its silo: who it is, that it agrees, and what it has spent. */
async function heard(world: World, link: Link): Promise<unknown> {
  await meetSilo('silo-0', { ...reach(world), link });
  const [silo] = await remotes(world, [link]);
  return await silo.spent();
}

describe('a reply', () => {
  it('that was made to another request stands for none, whoever kept it', async () => {
    const world = worldOf({ silos: 1, rounds: 3 });
    const kept = new Map<number, Uint8Array>();
    const service = world.service(0);
    // Whoever may publish has it made before there is a plan: these bytes need no key.
    const unkeyed = new Uint8Array(frameOverhead);
    unkeyed.set(Buffer.from('LFL1'));
    unkeyed[4] = kinds.query;
    kept.set(kinds.query, await service.request(unkeyed));
    const keeping: Link = {
      async request(bytes) {
        const reply = await service.request(bytes);
        if (!kept.has(bytes[4])) kept.set(bytes[4], reply);
        return reply;
      },
    };
    await meetSilo('silo-0', { ...reach(world), link: keeping });
    const [remote] = await remotes(world, [keeping]);
    await remote.spent();
    expect([...kept.keys()]).toStrictEqual([kinds.query, kinds.hello, kinds.plan, kinds.end]);
    let replayed = 0;
    /** The first time a kept reply, and then the silo's own. */
    const replaying = (): Link => {
      const left = new Map(kept);
      return {
        async request(bytes) {
          const old = left.get(bytes[4]);
          left.delete(bytes[4]);
          if (old !== undefined) replayed += 1;
          return old ?? (await service.request(bytes));
        },
      };
    };
    await meetSilo('silo-0', { ...reach(world), link: replaying() });
    const [silo] = await remotes(world, [replaying()]);
    await drive(world.run, federation({ silos: [silo] }), { start: world.start, random: publicCoins() });
    expect(await silo.spent()).toStrictEqual(world.run.plan.event);
    expect(replayed).toBe(4);
  });

  it('that refuses what a stranger sent is no refusal of the first query', async () => {
    const outputs: unknown[] = [];
    let shown = 0;
    for (const isAttacked of [false, true]) {
      const world = worldOf({ silos: 1, rounds: 2 });
      const service = world.service(0);
      const link: Link = {
        request(bytes) {
          const sent = bytes.slice();
          if (isAttacked && bytes[4] === kinds.query && shown === 0) {
            // The refusal of these bytes is authentic, and of this run.
            sent[sent.length - 1] ^= 1;
            shown += 1;
          }
          return service.request(sent);
        },
      };
      const silos = await remotes(world, [link]);
      const { output } = await drive(world.run, federation({ silos }), {
        start: world.start,
        random: publicCoins(),
      });
      outputs.push(output);
    }
    expect(shown).toBe(1);
    expect(outputs[1]).toStrictEqual(outputs[0]);
  });

  it('that knows no plan is no refusal of the plan', async () => {
    const world = worldOf({ silos: 1, rounds: 2 });
    const service = world.service(0);
    let shown = 0;
    const link: Link = {
      async request(bytes) {
        if (bytes[4] !== kinds.plan || shown > 0) return await service.request(bytes);
        shown += 1;
        // The plan as a query: the tag is that of the plan, and the silo has no key to see that it is wrong.
        const changed = bytes.slice();
        changed[4] = kinds.query;
        return await service.request(changed);
      },
    };
    const [silo] = await remotes(world, [link]);
    expect([silo.recorded(), shown]).toStrictEqual([0, 1]);
  });

  it('that lacks a point is no refusal of the query that has it', async () => {
    const world = worldOf({ silos: 1, rounds: 3 });
    const service = world.service(0);
    let kept: Uint8Array | null = null;
    let shown = 0;
    const link: Link = {
      async request(bytes) {
        const old = kept;
        kept = null;
        if (old !== null) {
          shown += 1;
          return old;
        }
        const reply = await service.request(bytes);
        if (bytes[4] === kinds.query && reply[4] === kinds.refusal) kept = reply.slice();
        return reply;
      },
    };
    // No point that is sent to all silos arrives.
    const [silo] = await remotes(world, [link], { points: pointsForAll(() => undefined) });
    await drive(world.run, federation({ silos: [silo] }), { start: world.start, random: publicCoins() });
    expect(await silo.spent()).toStrictEqual(world.run.plan.event);
    expect(shown).toBeGreaterThan(1);
  });

  it('of a silo that lies is refused with its name, whatever it says', async () => {
    const world = worldOf({ silos: 1, rounds: 2 });
    const keys = pairKeys(
      { own: world.silos[0], other: world.server.public, ownParty: stranger, otherParty: 0 },
      noPlan,
      'frame',
    );
    const lying = (kind: 'hello' | 'accept' | 'end', said: unknown): Link => {
      const service = world.service(0);
      return {
        async request(bytes) {
          const reply = await service.request(bytes);
          if (reply[4] !== kinds[kind]) return reply;
          const named = { run: noRun, plan: planIn(reply) };
          const envelope = { kind, flags: 0, from: stranger, to: 0, attempt: 0, round: 0, ...named };
          const honest = decode(reply.subarray(72, -32)) as object;
          const body = typeof said === 'object' && said !== null ? { ...honest, ...said } : said;
          return framesOf(envelope, encode(body), keys.sent);
        },
      };
    };
    const lies: readonly (readonly ['hello' | 'accept' | 'end', unknown])[] = [
      ['hello', null],
      ['hello', { records: -3 }],
      ['hello', { records: 1e300 }],
      ['accept', 7],
      ['accept', { signature: null }],
      ['accept', { facts: { run: 3 } }],
      ['accept', { facts: null }],
      ['accept', { everyone: [] }],
      ['accept', { answered: NaN }],
      ['accept', { index: 'x' }],
      ['end', { spent: {} }],
      ['end', { spent: { kind: 'core/compose', v: 1, parts: 3 } }],
    ];
    for (const [kind, said] of lies) {
      const link = lying(kind, said);
      const error: unknown = await heard(world, link).catch((caught: unknown) => caught);
      const what = `${kind} ${JSON.stringify(said)}`;
      expect([refusalOf(error), (error as Corrupt).details['silo']], what).toStrictEqual([
        'malformed-frame',
        'silo-0',
      ]);
    }
  });
});

describe('a request', () => {
  it('has one reply, and the owner one word of it, however many frames a stranger puts into it', async () => {
    const world = worldOf({ silos: 1 });
    const events: SiloEvent[] = [];
    const service = world.service(0, { onEvent: (event) => events.push(event) });
    const many = new Uint8Array(1000 * frameOverhead);
    for (let at = 0; at < many.length; at += frameOverhead) many.set(Buffer.from('LFL1'), at);
    expect(cutFrames(await service.request(many))).toHaveLength(1);
    expect(events).toHaveLength(1);
  });

  it('of several parts is not put together with a part of another about a plan', () => {
    const key = new Uint8Array(32);
    const named = (run: number) => ({
      kind: 'plan' as const,
      flags: 0,
      from: 0,
      to: stranger,
      attempt: 0,
      round: 0,
      run: new Uint8Array(16).fill(run),
      plan: noPlan,
    });
    const body = (byte: number) => new Uint8Array(largestPart + 1).fill(byte);
    const [first, second] = [1, 2].map((run) => cutFrames(framesOf(named(run), body(run), key)));
    const assembler = createAssembler();
    const taken = (frame: Uint8Array) =>
      assembler.take(frame, { ...named(frame[24]), key, largest: 2 * largestPart });
    expect([second[0], first[1], second[0]].map(taken)).toStrictEqual([undefined, undefined, undefined]);
    const whole = taken(second[1]);
    expect(whole !== undefined && Buffer.compare(whole.body, body(2))).toBe(0);
  });
});
