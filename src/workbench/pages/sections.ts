/** A part of the page of an application: a controller with the path `applications/:application_id/<path>`. */
export interface Section {
  path: string;
  title: string;
}

/** The sections in the order of their links. To add one, list it here and give it a `SectionController`. */
export const SECTIONS = [
  { path: 'requests', title: 'Requests' },
  { path: 'webhooks', title: 'Webhooks' },
  { path: 'faults', title: 'Faults' },
  { path: 'snapshots', title: 'Snapshots' },
  { path: 'namespaces', title: 'Namespaces' },
  { path: 'clocks', title: 'Clocks' },
  { path: 'statistics', title: 'Statistics' },
] as const satisfies readonly Section[];

export type SectionPath = (typeof SECTIONS)[number]['path'];

/** The path of an application's section, below `/workbench`. */
export const sectionPath = (applicationId: string, section: SectionPath): string =>
  `/workbench/applications/${applicationId}/${section}`;
