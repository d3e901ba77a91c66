import { PageController } from '../../auth/pages/page.guard.js';
import type { SectionPath } from './sections.js';

const TITLES: Record<number, string> = { 404: 'Not found', 429: 'Too many requests' };

/** A controller of pages of the workbench. They count in the quota of the workbench, by address: a page refreshes itself. */
export const WorkbenchPageController = (path: string) =>
  PageController(path, {
    quota: 'WORKBENCH',
    titleOf: (status) => TITLES[status] ?? 'Something went wrong',
  });

/** A controller of a section of an application. Its methods begin with `WorkbenchPages.open`. */
export const SectionController = (section: SectionPath) =>
  WorkbenchPageController(`workbench/applications/:application_id/${section}`);
