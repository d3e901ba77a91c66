import { PageController } from '../../auth/pages/page.guard.js';

/** A part of the page of an application: a controller with the path `applications/:application_id/<path>`. */
interface Section {
  path: string;
  title: string;
}

/** The sections in the order of their links. To add one, list it here and give it a `SectionController`. */
export const SECTIONS = [
  { path: 'overview', title: 'Overview' },
  { path: 'requests', title: 'Requests' },
  { path: 'accounts', title: 'Accounts' },
  { path: 'webhooks', title: 'Webhooks' },
  { path: 'faults', title: 'Faults' },
  { path: 'snapshots', title: 'Snapshots' },
  { path: 'namespaces', title: 'Namespaces' },
  { path: 'clocks', title: 'Clocks' },
  { path: 'statistics', title: 'Statistics' },
  { path: 'pixels', title: 'Pixels' },
] as const satisfies readonly Section[];

export type SectionPath = (typeof SECTIONS)[number]['path'];

/** The path of an application's section, below `/workbench`. */
export const sectionPath = (applicationId: string, section: SectionPath): string =>
  `/workbench/applications/${applicationId}/${section}`;

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
