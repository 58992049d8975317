import type { Result } from '../experiment/results.js';
import { html, type Html } from './escape.js';
import { evaluationArticle } from './evaluation.js';
import { meanErrorArticle } from './mean-error.js';
import { meanArticle } from './mean.js';
import { page } from './page.js';
import { releaseArticle } from './release.js';

/**
 * Results as one self-contained HTML page: figures, tables, ledgers, parameters, and the results themselves
 * as JSON. It makes no request, runs no script, follows the reader's colour scheme, and marks every
 * simulation `simulation: no privacy`, once, in a strip that stays in sight.
 */
export function renderReport(results: readonly Result[]): string {
  const articles = results.map((result, i) => ({ result, id: `result-${i + 1}` }));
  return page({
    title:
      results.length === 0
        ? 'Lethe report'
        : results.map(({ experiment, label }) => `${experiment.title} (${label})`).join(' · '),
    entries: articles.map(({ result: { experiment, label }, id }) => ({
      id,
      title: experiment.title,
      label,
    })),
    body: html`${articles.map(({ result, id }) => articleOf(result, id))}`,
    data: results,
  });
}

const articleOf = (result: Result, id: string): Html => {
  if (result.kind === 'evaluation') return evaluationArticle(result, id);
  if (result.kind === 'mean') return meanArticle(result, id);
  return result.kind === 'mean-error' ? meanErrorArticle(result, id) : releaseArticle(result, id);
};
