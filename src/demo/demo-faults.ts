import type { INestApplicationContext } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { FaultsService } from '../workbench/faults/faults.service.js';

const MONTH_SECONDS = 30 * 86_400;

/** Creates a fault, and another one to delete, that apply to no request. Returns none without the workbench. */
export async function makeFaults(
  app: INestApplicationContext,
  { workbench }: Pick<Config, 'workbench'>,
  applicationId: string,
): Promise<Record<string, string>> {
  if (!workbench) return {};
  const create = async () => {
    const { fault } = await app.get(FaultsService, { strict: false }).create(applicationId, {
      operation: 'createCampaign',
      error_status: 503,
      applied: 'BEFORE_COMMIT',
      probability: 0,
      ttl: MONTH_SECONDS,
    });
    return fault.id;
  };
  return { fault_id: await create(), spare_fault_id: await create() };
}
