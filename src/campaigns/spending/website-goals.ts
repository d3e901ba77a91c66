import type { Goal } from '../entities/line-item.tables.js';

const WEBSITE_GOALS: ReadonlySet<Goal> = new Set(['LINK_CLICKS', 'SITE_VISITS', 'WEBSITE_CONVERSIONS']);

/** Whether the goal of a line item is on a website. */
export const isForWebsite = ({ goal }: { goal: Goal }): boolean => WEBSITE_GOALS.has(goal);
