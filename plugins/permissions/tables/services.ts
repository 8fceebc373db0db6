import type { Program } from "./table.ts";

const DOCKER =
  "a n q s l t f all no-trunc quiet latest size digests tree follow timestamps details stream no-stream volumes force link prune no-prune help progress | n f since until tail filter format last signal time t type | tail";
const COMPOSE =
  "a q d f t all quiet detach follow timestamps no-log-prefix no-color build no-build force-recreate no-recreate no-deps remove-orphans wait pull no-start services volumes images profiles dry-run orphans abort-on-container-exit stop index always-recreate-deps renew-anon-volumes V v no-cache quiet-pull help | p t n tail since until timeout format scale status filter profile project-name ansi progress rmi wait-timeout exit-code-from no-attach attach";
const CONTAINERS: Program = {
  lines: [
    "*: help",
    "logs, container logs, pod logs: f t follow timestamps details | n since until tail",
    ": D debug v version | l log-level",
    `ps, images, inspect, version, info, stats, top, port, diff, history, events, search, start, stop, restart, kill, pause, unpause, wait, rm, rmi, rename, pull, push, tag, container ls, container list, container ps, container inspect, container stop, container start, container restart, container rm, container prune, container stats, container top, container port, image ls, image list, image inspect, image history, image rm, image prune, image pull, image push, image tag, volume ls, volume list, volume inspect, volume prune, volume rm, network ls, network list, network inspect, network prune, network rm, system df, system info, system prune, context ls, context show, pod ps, pod ls, pod inspect, pod stop, pod start, pod rm: ${DOCKER}`,
    "!build, !image build, !buildx build: q t f no-cache pull rm force-rm squash compress load help | t f m tag file target build-arg label progress platform shm-size memory network cache-from | pull",
    `!compose: | f p file project-name profile ansi progress`,
    `!compose up, !compose down, !compose ps, !compose logs, !compose build, !compose pull, !compose restart, !compose stop, !compose start, !compose config, !compose images, !compose top, !compose ls, !compose create, !compose rm, !compose kill, !compose version, !compose events, !compose port: ${COMPOSE}`,
  ],
};
const KUBECTL =
  "A R w all-namespaces show-labels show-kind watch watch-only no-headers ignore-not-found recursive wait force all record overwrite list client short containers quiet match-server-version help namespaced no-trunc merge dry-run | n o l c namespace output selector field-selector container tail since since-time replicas timeout sort-by for grace-period current-replicas revision to-revision request-timeout api-version api-group verbs label-columns L limit-bytes max-log-requests cascade dry-run type patch";
const GH =
  "w0 d a c q h draft comments no-pager log log-failed exit-status failed verbose all delete-branch merge squash rebase auto approve request-changes comment fill fill-first fill-verbose dry-run patch name-only watch required fail-fast recover include-prs private public internal latest prerelease verify-tag undo help version | R L s l t b a A B H S j m r p q n N repo limit state label title body assignee author base head search json jq template milestone reviewer project commit user event branch workflow job status sort order color message reason created notes tag target language owner visibility remove-label add-label remove-assignee add-assignee add-reviewer remove-reviewer add-project remove-project subject";

/** Clients of services. Subcommands that run programs, reach another host or change settings are not listed. */
export const SERVICES: Readonly<Record<string, Program>> = {
  docker: CONTAINERS,
  podman: CONTAINERS,
  nerdctl: CONTAINERS,
  kubectl: {
    lines: [
      `*: ${KUBECTL}`,
      "logs: f p follow previous timestamps all-containers prefix",
      "get, describe, top, top pod, top pods, top node, top nodes, version, cluster-info, api-resources, api-versions, explain, wait, events, rollout status, rollout history, rollout restart, rollout undo, rollout pause, rollout resume, scale, label, annotate, auth can-i, auth whoami, config view, config get-contexts, config current-context, config get-clusters, apply, delete, create, patch, expose, cordon, uncordon, set image: | f p filename",
    ],
  },
  gh: {
    lines: [
      `*: ${GH}`,
      "pr list, pr view, pr status, pr checks, pr diff, pr create, pr comment, pr review, pr merge, pr close, pr reopen, pr ready, pr edit, pr checkout, pr update-branch, issue list, issue view, issue status, issue create, issue comment, issue close, issue reopen, issue edit, issue pin, issue unpin, issue lock, issue develop:",
      "run list, run view, run watch, run rerun, run cancel, workflow list, workflow view, workflow run, workflow enable, workflow disable, release list, release view, repo view, repo list, label list, label create, search code, search commits, search issues, search prs, search repos, cache list, cache delete, auth status, status, org list, gist list, gist view, variable list, variable get, secret list, ruleset list, ruleset view:",
      "api: i paginate slurp silent verbose include help | X H q t f method header jq template preview cache raw-field p",
      "help, version: ",
    ],
  },
};
