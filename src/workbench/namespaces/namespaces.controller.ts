import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { Config } from '../../config/config.js';
import { CurrentApplicationId, WorkbenchController } from '../workbench-controller.js';
import {
  CreatedNamespaceView,
  NamespaceDeletedView,
  NamespaceView,
  presentCreatedNamespace,
  presentNamespace,
} from './namespace.presenter.js';
import { CreateNamespace, ListNamespaces, UpdateNamespace } from './namespaces.dto.js';
import { NamespacesService } from './namespaces.service.js';

/** Namespaces for runs of tests. Not part of the specification: docs/workbench.md. */
@WorkbenchController('namespaces')
export class NamespacesController {
  constructor(
    private readonly namespaces: NamespacesService,
    private readonly config: Config,
  ) {}

  /** Lists the namespaces of the application, newest first, without their secrets. */
  @Get()
  @ReturnsPage(NamespaceView)
  async list(@CurrentApplicationId() applicationId: string, @Params() query: ListNamespaces) {
    return (await this.namespaces.list(applicationId, query)).map(presentNamespace);
  }

  /**
   * Creates a namespace: an application, a user, an access token, and an account with a funding instrument in production
   * and in the sandbox. Only this response has the secrets. All of it is deleted after `ttl` seconds. An application has
   * at most 200 namespaces.
   */
  @Post()
  @Returns(CreatedNamespaceView, { status: 201 })
  async create(@CurrentApplicationId() applicationId: string, @Params() params: CreateNamespace) {
    return presentCreatedNamespace(await this.namespaces.create(applicationId, params), this.config);
  }

  /** Returns a namespace without its secrets. */
  @Get(':namespace_id')
  @Returns(NamespaceView)
  async get(@CurrentApplicationId() applicationId: string, @Param('namespace_id') id: string) {
    return presentNamespace(await this.namespaces.get(applicationId, id));
  }

  /** Gives a namespace another expiry, counted from now. */
  @Put(':namespace_id')
  @Returns(NamespaceView)
  async update(
    @CurrentApplicationId() applicationId: string,
    @Param('namespace_id') id: string,
    @Params() params: UpdateNamespace,
  ) {
    return presentNamespace(await this.namespaces.update(applicationId, id, params));
  }

  /** Deletes a namespace with all that is in it. Its credentials end at once. */
  @Delete(':namespace_id')
  @Returns(NamespaceDeletedView)
  async delete(@CurrentApplicationId() applicationId: string, @Param('namespace_id') id: string) {
    await this.namespaces.delete(applicationId, id);
    return { deleted: true };
  }
}
