import type { INestApplicationContext } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { NamespacesService } from '../workbench/namespaces/namespaces.service.js';

const WEEK_SECONDS = 7 * 86_400;

/** Creates a namespace, and another one to delete. Returns none without the workbench. */
export async function makeNamespaces(
  app: INestApplicationContext,
  { workbench }: Pick<Config, 'workbench'>,
  applicationId: string,
): Promise<Record<string, string>> {
  if (!workbench) return {};
  const create = async (name: string) => {
    const created = await app
      .get(NamespacesService, { strict: false })
      .create(applicationId, { name, ttl: WEEK_SECONDS });
    return created.namespace.id;
  };
  return { namespace_id: await create('Example'), spare_namespace_id: await create('Example to delete') };
}
