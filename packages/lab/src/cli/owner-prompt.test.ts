import { describe, expect, it } from 'vitest';
import { ownerPrompt, type OwnerPrompt } from './owner-prompt.js';

/** An input that says what is typed, when it is typed, and what the owner is asked. */
function typing(): {
  readonly owner: OwnerPrompt;
  readonly said: string[];
  type(text: string): Promise<void>;
} {
  return typingAt(0);
}
/** The same at a terminal, whose lines wait until they are read. @param early - As of the prompt. */
function typingAt(early: number): ReturnType<typeof typing> {
  const waiting: ((text: string) => void)[] = [];
  const typed: string[] = [];
  const said: string[] = [];
  async function* input(): AsyncGenerator<Uint8Array> {
    for (;;)
      yield new TextEncoder().encode(
        typed.shift() ?? (await new Promise<string>((settle) => waiting.push(settle))),
      );
  }
  return {
    owner: ownerPrompt(input, (text) => said.push(text), early),
    said,
    async type(text) {
      const one = waiting.shift();
      if (one === undefined) typed.push(text);
      else one(text);
      // Until it was read.
      await new Promise((settle) => setTimeout(settle, 5));
    },
  };
}
const plans = ['61ae60', '0f3bcc', '77aa01'];
const live = (): AbortSignal => new AbortController().signal;
/** A question that is taken back. */
async function takenBack(owner: OwnerPrompt, plan: string): Promise<boolean> {
  const over = new AbortController();
  const answer = owner.agrees(plan, over.signal);
  await new Promise((settle) => setTimeout(settle, 5));
  over.abort();
  return await answer;
}

describe('the owner of a silo', () => {
  it('is asked for a yes, and takes part in nothing otherwise', async () => {
    const { owner, said, type } = typing();
    const first = owner.agrees(plans[0], live());
    await type('y\n');
    expect([await first, said]).toStrictEqual([true, ['Take part in this run? [y/N] ']]);
    const second = owner.agrees(plans[1], live());
    await type('what\n');
    expect(await second).toBe(false);
  });

  it('says nothing of a later plan with a yes that comes after the question was taken back', async () => {
    const { owner, said, type } = typing();
    expect(await takenBack(owner, plans[0])).toBe(false);
    await type('y\n');
    let isDecided = false;
    const next = owner.agrees(plans[1], live()).finally(() => (isDecided = true));
    await new Promise((settle) => setTimeout(settle, 5));
    expect([isDecided, said.slice(1)]).toStrictEqual([false, [expect.stringContaining(', 0f3b: ')]]);
    await type('0f3b\n');
    expect(await next).toBe(true);
  });

  it('agrees to nothing by what a terminal has kept since before the question', async () => {
    const { owner, said, type } = typingAt(0.05);
    await type('y\n');
    await type('y\n');
    let isDecided = false;
    const answer = owner.agrees(plans[0], live()).finally(() => (isDecided = true));
    await new Promise((settle) => setTimeout(settle, 150));
    expect([isDecided, said]).toStrictEqual([false, ['Take part in this run? [y/N] ']]);
    await type('y\n');
    expect(await answer).toBe(true);
  });

  it('agrees to a plan that replaces another by its first characters, and not by a yes', async () => {
    const { owner, said, type } = typing();
    await takenBack(owner, plans[0]);
    const second = owner.agrees(plans[1], live());
    // Meant for the plan before, and typed as this one appears.
    await type('y\n');
    expect(said).toHaveLength(3);
    await type('61ae\n');
    expect(await second).toBe(false);
    // A plan that was declined is not one that was taken back.
    const third = owner.agrees(plans[2], live());
    await type('yes\n');
    expect([await third, said[3]]).toStrictEqual([true, 'Take part in this run? [y/N] ']);
  });
});
