import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalCdf } from '@lethe/numerics';
import { addNormalCells } from './normal-cells.js';

function cell(a: number, b: number, shift: number): number {
  const out = new Float64Array(1);
  addNormalCells(out, Float64Array.of(a, b), shift, 1);
  return out[0];
}

describe('the normal probability of a cell', () => {
  it.each([
    [6.469524390243902, 6.530475609756096, -1.7, 6.156800979912251e-17],
    [-1.700000001, -1.6999999989999999, -1.7, 7.978846268201299e-10],
    [-4.687, 1.313, -1.7, 0.9972979567997269],
    [36.99674796747968, 37.00325203252032, 0.1, 5.562643519299889e-299],
    [8.185365853658537, 8.214634146341462, 0, 2.933278166808767e-17],
    [-17.801569832402233, -17.79843016759776, 0.1, 3.324320219235333e-73],
    [-4.809064516129032, -4.7909354838709675, -1.7, 5.92312511576134e-5],
    [-0.5922307692307691, -0.20776923076923068, -1.7, 0.06616141649543347],
    [-0.0151, 0.0411, 0, 0.02241571221625996],
    [-4.7, 1.3, -1.7, 0.9973002039367398],
    [-0.2369, 0.2629, 0, 0.19731898685010185],
    [-4.880612903225806, -4.719387096774193, -1.7, 0.0005316140945426669],
    [-0.9, 0.9, 0, 0.631879749306481],
    [27.9999898989899, 28.0000101010101, -1.7, 2.306190094237777e-197],
    [-0.8501, -0.3499, 0.1, 0.1553605521856844],
    [-1.7003, -1.6997, -1.7, 0.00023936536465035276],
    [-17.950279329608936, -17.84972067039106, 0, 1.213680249207164e-71],
    [-4.606703910614523, -4.593296089385473, 13.3, 1.422850762279701e-72],
    [1.2999999992307694, 1.3000000007692307, 0, 2.6364395689320624e-10],
    [6.390243902439024, 6.609756097560974, -1.7, 2.4977737824172643e-16],
    [35.17560975609756, 35.224390243902434, -1.7, 4.746544942795597e-298],
    [29.69905387205387, 29.70094612794613, 0, 2.1604153216156693e-195],
    [-3.0000000003225806, -2.9999999996774194, 0.1, 2.107625091141944e-12],
    [1.307692307692308, 1.4923076923076923, 0.1, 0.03166819741115818],
    [-19.600000000055864, -19.59999999994413, -1.7, 1.182887521654518e-80],
    [29.669696969696968, 29.73030303030303, 0, 7.889813591624544e-194],
    [12.413, 14.213000000000001, 13.3, 0.6318392789881916],
  ])('[%d, %d) about %d has 15 digits', (a, b, shift, expected) => {
    expect(Math.abs(cell(a, b, shift) / expected - 1)).toBeLessThan(2 ** -47);
  });

  it('adds up to wider cells, whichever way each is computed', () => {
    const centre = fc.integer({ min: -3600, max: 3600 }).map((k) => k / 100);
    const size = fc.integer({ min: -24, max: 4 }).map((k) => 2 ** k);
    fc.assert(
      fc.property(centre, size, fc.integer({ min: 2, max: 40 }), (from, width, parts) => {
        const edges = Float64Array.from({ length: parts + 1 }, (_, i) => from + (i * width) / parts);
        const cells = new Float64Array(parts);
        addNormalCells(cells, edges, 0, 1);
        const whole = cell(edges[0], edges[parts], 0);
        const sum = cells.reduce((total, mass) => total + mass, 0);
        expect(Math.abs(sum - whole)).toBeLessThanOrEqual(2 ** -46 * whole + 1e-305);
      }),
    );
  });

  it('is symmetric, scales, and holds up to infinity', () => {
    fc.assert(
      fc.property(fc.integer({ min: -380, max: 380 }), fc.integer({ min: 1, max: 90 }), (k, width) => {
        const [a, b] = [k / 10, (k + width) / 10];
        expect(Math.abs(cell(a, b, 0) - cell(-b, -a, 0))).toBeLessThanOrEqual(2 ** -50 * cell(a, b, 0));
        expect(cell(-Infinity, b, 0)).toBeCloseTo(normalCdf(b), 15);
        expect(cell(a, Infinity, 0)).toBeCloseTo(normalCdf(-a), 15);
      }),
    );
    expect(cell(-Infinity, Infinity, 7)).toBe(1);
    expect([cell(1, 1, 0), cell(Infinity, Infinity, 0), cell(50, 60, 0), cell(-1e300, -1e299, 0)]).toEqual([
      0, 0, 0, 0,
    ]);
  });
});
