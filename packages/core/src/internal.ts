/** What other packages of Lethe use of this one beside its public interface. It may change at any time. */
export { rootMark } from './drive/root-mark.js';
export { canonicalEvent, rememberForm, textOf } from './events/canonical.js';
export { anyEventSchema } from './events/schema.js';
export { assertCount } from './loops/loops.js';
export { certifiedFact, largest, smallest } from './plugins/bounded-mean.js';
export { assertForm, plainPlugin } from './plugins/plugin.js';
export { assertRegistry } from './plugins/registry.js';
export type { RunContext } from './plugins/run.js';
export { isSettled, settleRef } from './plugins/settled-refs.js';
export type { ScoredPoint } from './query/answer.js';
export { copyAnswer, isAnswer, vectorsIn } from './query/answers.js';
export { noteFinite, noteMaker } from './query/finite-answers.js';
export { createIntake, pointMemory } from './query/intake.js';
export type { LocalSteps } from './query/parts/local-steps.js';
export { roomOf } from './query/room.js';
export { wasFinite } from './query/schema.js';
export type { AnyTable, Table } from './query/table.js';
export { queryVersion, version } from './version.js';
