import { Get, Param, Post, Res, type Type } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { formFieldsOf, type SingleFields } from '../../common/http/bodies/single-fields.js';
import type { ApiError } from '../../common/errors/api-error.js';
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
import { CreateNamespace, UpdateNamespace } from '../namespaces/namespaces.dto.js';
import { NamespacesService } from '../namespaces/namespaces.service.js';

/** The units of the forms, in seconds. */
const UNITS = [
  { seconds: 60, title: 'minutes' },
  { seconds: 3_600, title: 'hours' },
  { seconds: 86_400, title: 'days' },
];

/** What a form led to. */
interface Outcome {
  created?: CreatedNamespaceView;
  error?: ApiError;
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
    await this.pages.answer(
      reply,
      async (visit) => {
        const params = paramsIn(CreateNamespace, formFieldsOf(reply.request));
        const created = await this.namespaces.create(visit.application.id, params);
        await this.show(reply, visit, { created: presentCreatedNamespace(created, this.config) });
      },
      (visit, error) => this.show(reply, visit, { error }),
    );
  }

  /** Moves the expiry of a namespace. */
  @Post(':namespace_id/extend')
  async extend(@Param('namespace_id') namespaceId: string, @Res() reply: FastifyReply) {
    await this.pages.carryOut(
      reply,
      'namespaces',
      async ({ application }) => {
        const params = paramsIn(UpdateNamespace, formFieldsOf(reply.request));
        await this.namespaces.update(application.id, namespaceId, params);
      },
      (visit, error) => this.show(reply, visit, { error }),
    );
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
        error: error?.message,
        units: UNITS,
      },
    });
  }
}

/** The parameters in a form. The form has the time to live as a number and its unit. */
function paramsIn<T extends object>(dto: Type<T>, { ttl, unit, ...fields }: SingleFields): T {
  const seconds = ttl?.trim() ? { ttl: String(Number(ttl) * Number(unit ?? 1)) } : {};
  const given = Object.entries<string | undefined>({ ...fields, ...seconds }).filter(
    ([, value]) => value?.trim() !== '',
  );
  const { params, refused } = readParams(dto, Object.fromEntries(given), true);
  if (refused) throw refused;
  return params;
}
