import { defineLinearLoss, defineLoss, type Loss } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { losses, squared } from '@lethe/losses';
import { defineMutant } from '../mutant.js';

const first = (plugin: Loss): Subject<'loss'> =>
  subjectsOf(plugin, { registry: losses })[0] as Subject<'loss'>;
const {
  value: _value,
  gradientInto: _gradientInto,
  linear: _linear,
  kind: _kind,
  ...rest
} = { ...squared } as Loss;

export const xLoss14 = defineMutant({
  id: 'loss/smooth-absolute-loss-square-overflows-slope-vanishes',
  title: 'a smooth absolute loss whose square overflows, so that its slope vanishes far out',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/slopes'],
  within: 30,
  plant: () =>
    first(
      defineLinearLoss({
        ...rest,
        linear: {
          value: (_params, margin, label) => Math.sqrt(1 + (margin - label) ** 2) - 1,
          slope: (_params, margin, label) => (margin - label) / Math.sqrt(1 + (margin - label) ** 2),
        },
      }) as unknown as Loss,
    ),
});

export const xLoss15 = defineMutant({
  id: 'loss/last-coordinate-gradient-left-zero-more-eight',
  title: 'the last coordinate of a gradient is left at zero in more than eight dimensions',
  kind: 'loss',
  source: 'generic: a loop unrolled by eight',
  killedBy: ['loss/long-gradient'],
  within: 60,
  plant: () =>
    first(
      defineLoss({
        ...rest,
        linear: null,
        value: (params, at, record) => squared.value(params as never, at, record),
        gradientInto(params, out, at, record) {
          squared.gradientInto(params as never, out, at, record);
          if (out.length > 8) out[out.length - 1] = 0;
        },
      }) as unknown as Loss,
    ),
});
