import { Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { formFieldsOf } from '../../common/http/bodies/single-fields.js';
import { ApiError, ApiErrors } from '../../common/errors/api-error.js';
import { readParams } from '../../common/http/params/params.js';
import { Config } from '../../config/config.js';
import { SectionController, sectionPath } from '../pages/sections.js';
import { WorkbenchPages, type Visit } from '../pages/workbench-pages.js';
import {
  presentCreatedNamespace,
  presentNamespace,
  type CreatedNamespaceView,
} from '../namespaces/namespace.presenter.js';
import { MAX_NAMESPACES } from '../namespaces/namespace.entity.js';
import { CreateNamespace } from '../namespaces/namespaces.dto.js';
import { NamespacesService } from '../namespaces/namespaces.service.js';

/** The choices of the form, in seconds. */
const TTLS = [
  { seconds: 3_600, title: '1 hour' },
  { seconds: 8 * 3_600, title: '8 hours' },
  { seconds: 86_400, title: '1 day' },
  { seconds: 7 * 86_400, title: '7 days' },
];

/** What a form led to. */
interface Outcome {
  created?: CreatedNamespaceView;
  error?: ApiError | ApiErrors;
}

/** The namespaces of an application in a browser. */
@SectionController('namespaces')
export class NamespacesPageController {
  constructor(
    private readonly namespaces: NamespacesService,
    private readonly pages: WorkbenchPages,
    private readonly config: Config,
  ) {}

  @Get()
  async list(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (visit) await this.show(reply, visit);
  }

  /** Creates a namespace and shows its secrets, once. */
  @Post()
  async create(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (!visit) return;
    const outcome = await outcomeOf(async () => {
      this.pages.requireOwnForm(reply.request);
      const fields = Object.entries(formFieldsOf(reply.request)).filter(([, value]) => value?.trim() !== '');
      const { params, refused } = readParams(CreateNamespace, Object.fromEntries(fields), true);
      if (refused) throw refused;
      return presentCreatedNamespace(await this.namespaces.create(visit.application.id, params), this.config);
    });
    await this.show(reply, visit, outcome);
  }

  /** Deletes a namespace. */
  @Post(':namespace_id/delete')
  async delete(@Param('namespace_id') namespaceId: string, @Res() reply: FastifyReply) {
    await this.pages.carryOut(
      reply,
      'namespaces',
      ({ application }) => this.namespaces.delete(application.id, namespaceId),
      (visit, error) => this.show(reply, visit, { error }),
    );
  }

  private async show(reply: FastifyReply, visit: Visit, { created, error }: Outcome = {}): Promise<void> {
    const { items } = await this.namespaces.list(visit.application.id, { max_results: MAX_NAMESPACES });
    await this.pages.show(reply, visit, {
      section: 'namespaces',
      template: 'namespaces/namespaces',
      title: 'Namespaces',
      status: error?.status ?? (created && 201),
      isLive: true,
      data: {
        namespaces: items.map((each) => ({
          ...presentNamespace(each),
          link: `${visit.session.prefix}${sectionPath(each.innerApplicationId, 'requests')}`,
        })),
        created,
        credentials: created && JSON.stringify(created, null, 2),
        error:
          error && (error instanceof ApiErrors ? error.errors.map(({ message }) => message).join('. ') : error.message),
        ttls: TTLS,
      },
    });
  }
}

/** What a form created, or why it failed; other errors are thrown. */
async function outcomeOf(work: () => Promise<CreatedNamespaceView>): Promise<Outcome> {
  try {
    return { created: await work() };
  } catch (error) {
    if (error instanceof ApiError || error instanceof ApiErrors) return { error };
    throw error;
  }
}
