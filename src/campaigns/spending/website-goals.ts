import type { Goal } from '../entities/line-item.tables.js';

const WEBSITE_GOALS: ReadonlySet<Goal> = new Set(['LINK_CLICKS', 'SITE_VISITS', 'WEBSITE_CONVERSIONS']);

const APP_GOALS: ReadonlySet<Goal> = new Set(['APP_CLICKS', 'APP_INSTALLS', 'APP_PURCHASES']);

/** Whether the goal of a line item is on a website. */
export const isForWebsite = ({ goal }: { goal: Goal }): boolean => WEBSITE_GOALS.has(goal);

/** Whether the goal of a line item is in an app. */
export const isForApp = ({ goal }: { goal: Goal }): boolean => APP_GOALS.has(goal);
