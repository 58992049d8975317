import { defineMutant } from '../mutant.js';
import { answering, noising } from './wrap.js';

export const xCurator13 = defineMutant({
  id: 'curator/noise-tenth-less-needs-once-more-16',
  title: 'the noise is 10 % too small for more than 16 slots',
  kind: 'curator',
  source: 'generic: a finite-sample correction',
  killedBy: ['curator/scale'],
  within: 300,
  plant: () =>
    noising(
      (add, { data, publicSlots }) =>
        (params, out, scale, random) =>
          add(params, out, (publicSlots ?? data.slots) > 16 ? 0.9 * scale : scale, random),
    ),
});

export const xCurator14 = defineMutant({
  id: 'curator/candidate-fits-every-record-perfectly-chosen-once',
  title: 'a candidate with zero risk is always chosen',
  kind: 'curator',
  source: 'generic: a search that ends early',
  killedBy: ['curator/choice'],
  within: 1000,
  plant: () =>
    answering((answered, query, _inner, { data }) => {
      if (query.ask !== 'choose' || query.candidates.by !== 'list') return answered;
      const {
        loss: { plugin, params },
        labels,
        dimension,
      } = data;
      const features = new Float64Array(dimension);
      const perfect = query.candidates.points.find((point) =>
        labels.every((label) => plugin.value(params, point, { features, label }) === 0),
      );
      return perfect === undefined ? answered : { ...answered, answer: perfect.slice() };
    }),
});
