import { attachData, centralCurator, driveSync, federation, openLedger, rawSilo, seededRandom, trustedFederation, gaussianEvent } from '@lethe/core';
import { dpMu2Sgd } from '@lethe/algorithms';
import { losses, squaredDistance } from '@lethe/losses';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
const registry = Object.freeze([...mechanisms, ...losses]);
const every = (value) => ({ value, scope: 'every-record', provenance: 'declared' });
export function e1({ T, M, d, rho, server, reps, params = { schedule: 'printed' }, n = T }) {
  const trust = { model: 'federated', silos: M, server };
  const problem = { adjacency: 'replace-one', dimension: d, slots: Array(M).fill(n), trust, domain: l2BallDomain({ radius: 1 }), loss: squaredDistance({}), capabilities: squaredDistance.capabilities, facts: { lipschitz: every(2), smoothness: every(1) } };
  const run = dpMu2Sgd.prepare({ registry, problem, budget: { epsilon: 1, delta: 1e-6 }, random: seededRandom('p'), calibrate: () => { throw 1; }, params: { noiseMultiplier: 1 / rho, setting: 'realizable', ...params } });
  let s = 0, s2 = 0;
  const star = new Float64Array(d); star[0] = 0.4; if (M === 1) star[1] = 0.3;
  for (let r = 0; r < reps; r++) {
    const silos = Array.from({ length: M }, (_, i) => {
      const rnd = seededRandom(`${r} ${i} data`);
      const f = rnd.gaussianInto(new Float64Array(n * d));
      for (let k = 0; k < n; k++) { let q = 0; for (let j = 0; j < d; j++) q += f[k * d + j] ** 2; q = Math.sqrt(q); for (let j = 0; j < d; j++) f[k * d + j] = 0.5 * f[k * d + j] / q + (j === 0 ? 0.4 : j === 1 ? 0.3 * (-1) ** i : 0); }
      const data = attachData({ features: { data: f, rows: n, columns: d, offset: 0, rowStride: d, columnStride: 1 }, labels: new Float64Array(n), loss: squaredDistance({}), registry, ledger: openLedger({ adjacency: 'replace-one' }) });
      const o = { data, registry, run: 'r', random: seededRandom(`${r} ${i} coins`) };
      return server === 'trusted' ? rawSilo({ ...o, silos: M }) : centralCurator(o);
    });
    const curator = server === 'trusted' ? trustedFederation({ silos, registry }) : federation({ silos });
    const { output } = driveSync(run, curator, { start: new Float64Array(d), random: seededRandom('p') });
    let e = 0; for (let j = 0; j < d; j++) e += (output[j] - star[j]) ** 2 / 2;
    s += e; s2 += e * e;
  }
  const mean = s / reps, se = Math.sqrt((s2 / reps - mean ** 2) / reps);
  return { T, M, d, rho, server, mean: mean.toPrecision(3), se: se.toPrecision(2), bound: run.plan.utility?.bound?.toPrecision(3), b: run.plan.batchSize };
}
if (process.argv[1].endsWith('e1.mjs')) {
console.time('x');
console.log(e1({ T: 64, M: 4, d: 5, rho: 1, server: 'untrusted', reps: 400 }), '.0609 2.427');
console.log(e1({ T: 64, M: 4, d: 5, rho: 1, server: 'trusted', reps: 400 }), '.0312 1.589');
console.log(e1({ T: 256, M: 4, d: 5, rho: 1, server: 'untrusted', reps: 200 }), '.0156 .669');
console.log(e1({ T: 256, M: 4, d: 5, rho: 1, server: 'trusted', reps: 200 }), '.00755 .460');
console.log(e1({ T: 1024, M: 1, d: 5, rho: 1, server: 'untrusted', reps: 100 }), '.0062 .366');
console.log(e1({ T: 1024, M: 4, d: 5, rho: 1, server: 'untrusted', reps: 50 }), '.00354');
console.log(e1({ T: 1024, n: 1024, M: 4, d: 5, rho: 1, server: 'untrusted', reps: 100, params: { rounds: 256, clip: 'lemma-4' } }), '.00299');
console.log(e1({ T: 1024, n: 1024, M: 4, d: 5, rho: 1, server: 'untrusted', reps: 200, params: { rounds: 64, clip: 'lemma-4' } }), '.00204');
console.timeEnd('x');
}
