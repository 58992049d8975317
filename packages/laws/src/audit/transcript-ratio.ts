import {
  resolvePlugin,
  type Answer,
  type Answered,
  type Batch,
  type Curator,
  type DescendQuery,
  type LocalUpdateQuery,
  type MeanQuery,
  type MinimiserQuery,
  type OpenQuery,
  type PushQuery,
  type Query,
  type Sampler,
  type ValueQuery,
  type Vector,
} from '@lethe/core';
import type { AnswerDistribution } from './answer-distribution.js';
import type { AimedDistribution, AnswerDistributions, Setting } from './answer-distributions.js';
import { choiceLaw } from './choice-distribution.js';
import { descentLaw } from './descent-distribution.js';
import { createMembership, type Membership, type Node } from './membership.js';
import { minimiserLaw } from './minimiser-distribution.js';
import { streamsOf, type FollowedStream } from './stream-distribution.js';
import { valueLaw } from './value-distribution.js';

/** An observed curator for one run, and the likelihood ratio of its answers. */
export interface Listener {
  readonly curator: Curator<Answered>;
  /** `ln P(answers | second neighbour) − ln P(answers | first)`. */
  logRatio(): number;
}

/** Queries whose answers have a distribution. */
type Heard = MeanQuery | LocalUpdateQuery | ValueQuery | MinimiserQuery | DescendQuery | ChooseQuery;
type ChooseQuery = Extract<Query, { readonly ask: 'choose' }>;

/** Constants over all runs. */
export interface ListenOptions {
  readonly setting: Setting;
  readonly laws: AnswerDistributions;
  readonly samplerLaws: Map<string, readonly number[]>;
  /** Distributions of answers other than means. */
  readonly otherLaws: Map<string, AnswerDistribution>;
  /** What follows streams, by how they are opened. */
  readonly streamLaws: Map<string, () => FollowedStream>;
  /** Filled with the kinds of queries without a distribution. */
  readonly unheard: Set<Query['ask']>;
  /** Called for every mean, with its batch and distribution. */
  readonly heard?: (query: MeanQuery, node: Node, distribution: AimedDistribution) => void;
}

/**
 * Observes a curator's answers to the optimizer, chooses the canary's gradient before every query, and
 * accumulates the likelihood of all answers on both neighbours. Answers without a distribution are
 * ignored.
 */
export function listenTo(
  curator: Curator<Answered>,
  { setting, laws, samplerLaws, otherLaws, streamLaws, unheard, heard }: ListenOptions,
): Listener {
  const { registry, adjacency, random, labels, canary } = setting;
  const options = { registry, adjacency, random, laws: samplerLaws };
  const sides: readonly [Membership, Membership] = [
    createMembership(curator.allRecords, options),
    createMembership(curator.allRecords, options),
  ];
  const streams = new Map<string, FollowedStream>();
  const followed: Curator<Answered> = {
    ...curator,
    facts: curator.facts,
    answer(index, posed) {
      const query = withDraw(posed, index);
      const distribution = distributionOf(query);
      const said = curator.answer(index, posed);
      hear(query, said.answer, distribution);
      return said;
    },
  };
  return {
    curator: followed,
    logRatio: () => sides[1].logLikelihood(labels[1] !== 0) - sides[0].logLikelihood(labels[0] !== 0),
  };

  /** A mean of a sample as one of a draw that nothing else is asked about. */
  function withDraw(query: Query, index: number): Query {
    if (query.ask !== 'mean' || query.sampler === undefined) return query;
    const { sampler, batch: from, ...rest } = query;
    const { plugin, params } = resolvePlugin<Sampler>(registry, sampler);
    const id = `sample of query ${index}`;
    const normaliser = plugin.normaliser(params, from.normaliser);
    const batch = { id, normaliser, size: plugin.size, scope: id } as Batch;
    for (const side of sides) side.draw({ ask: 'draw', sampler, from }, batch);
    return { ...rest, batch };
  }

  /** The distribution of an answer; also aims the canary for the query. */
  function distributionOf(query: Query): AnswerDistribution | null {
    if (query.ask === 'mean') {
      const node = sides[0].of(query.batch);
      const aimed = laws.of(query, node);
      const { distribution, axis } = aimed;
      heard?.(query, node, aimed);
      canary.aim({ terms: query.of.terms, axis: axis === null ? null : (query.of.coordinates?.[0] ?? 0) });
      return distribution;
    }
    canary.aim({
      terms: query.ask === 'push' ? query.of.terms : [],
      axis: 0,
      honest: query.ask === 'minimiser' || query.ask === 'descend',
      steep: query.ask === 'choose',
    });
    switch (query.ask) {
      case 'value':
        return once([query.statistic, query.noise, query.batch.normaliser], () => valueLaw(setting, query));
      case 'minimiser':
        return once([{ ...query, centre: [...query.centre], batch: query.batch.normaliser }], () =>
          minimiserLaw(setting, query),
        );
      case 'descend': {
        const { place } = sides[0].of(query.batch);
        // Projections between noisy steps leave a last point without a density in closed form.
        if (place === null || query.noiseOn === 'steps') {
          unheard.add(query.ask);
          return null;
        }
        return once([{ ...query, start: [...query.start], batch: query.batch.normaliser }, place], () =>
          descentLaw(setting, query, place),
        );
      }
      case 'choose': {
        const { candidates, ...rest } = query;
        const made = choiceOf(
          JSON.stringify([candidates, { ...rest, batch: query.batch.normaliser }]),
          query,
        );
        if (made === null) unheard.add(query.ask);
        return made;
      }
      case 'localUpdate': {
        const { distribution, axis } = laws.ofUpdates(query, sides[0].of(query.batch));
        canary.aim({ terms: [{ weight: 1, at: query.from }], axis });
        return distribution;
      }
      case 'select':
        unheard.add(query.ask);
        return null;
      default:
        return null;
    }
  }

  function once(what: readonly unknown[], make: () => AnswerDistribution): AnswerDistribution {
    const key = JSON.stringify(what);
    const distribution = otherLaws.get(key) ?? make();
    otherLaws.set(key, distribution);
    return distribution;
  }

  function choiceOf(key: string, query: ChooseQuery): AnswerDistribution | null {
    const distribution = otherLaws.get(key) ?? choiceLaw(setting, query);
    if (distribution !== null) otherLaws.set(key, distribution);
    return distribution;
  }

  function openedAs(query: OpenQuery): FollowedStream {
    const key = JSON.stringify(query);
    const begin = streamLaws.get(key) ?? streamsOf(setting, query);
    streamLaws.set(key, begin);
    return begin();
  }

  /** What a stream tells follows from all of its increments, and is kept with all records. */
  function hearStream(query: PushQuery, answer: Vector): void {
    const stream = streams.get(query.stream.id);
    const node = sides[0].of(query.batch);
    if (stream === undefined || node.place === null) {
      streams.delete(query.stream.id);
      unheard.add(query.ask);
      return;
    }
    const likelihoods = stream.next(query, answer, node);
    for (const side of [0, 1] as const) sides[side].of(curator.allRecords).answers.push(likelihoods[side]);
  }

  function hear(query: Query, answer: Answer, distribution: AnswerDistribution | null): void {
    if (query.ask === 'open') streams.set((answer as Answer<typeof query>).id, openedAs(query));
    if (query.ask === 'push') hearStream(query, answer as Vector);
    for (const side of [0, 1] as const) {
      if (query.ask === 'draw') sides[side].draw(query, answer as Answer<typeof query>);
      if (query.ask === 'split') sides[side].split(query, answer as Answer<typeof query>);
      if (distribution === null) continue;
      const { answers, most } = sides[side].of((query as Heard).batch);
      const told = typeof answer === 'number' ? Float64Array.of(answer) : (answer as Vector);
      answers.push(
        Array.from({ length: most + 1 }, (_, times) => distribution.logLikelihood(told, times, side)),
      );
    }
  }
}
