import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** The rules whose result depends on colors. The others find the same in every color scheme. */
export const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** What axe finds wrong with a page: the rule and the elements. `rules`: only these. */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(axe.source);
  const options = JSON.stringify(rules ? { runOnly: rules } : {});
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${options})`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => String(target)).join(', ')}`);
}
