/** Common words of instructions, from which generated skills are made. */

const list = (words: string) => words.trim().split(/\s+/);

export const nouns = list(`
  page document slide table chart image font color palette layout margin header footer title heading paragraph section
  theme template component button form field value label column row cell sheet formula workbook range folder path script
  command option argument flag output result error warning message request response client server session token key header
  query parameter schema type property method function class module package version release branch commit test case suite
  report summary audience team project customer update newsletter question answer draft review comment change issue task
  step stage phase goal detail example pattern rule style guideline structure content context reader writer editor browser
  viewport element selector event handler state animation frame loop seed noise particle grid shape line curve circle
  typography contrast spacing hierarchy composition texture background border shadow gradient icon logo brand canvas
  dimension resolution pixel format encoding buffer stream batch queue retry timeout limit cost budget usage cache model
  prompt tool agent skill workflow environment variable configuration dependency library framework runtime process network
`);

export const adjectives = list(`
  clear short long simple complete careful consistent visible readable responsive accessible bold subtle dark light warm
  neutral primary secondary default optional required empty nested shared local remote stable recent current previous final
  single separate common special unique exact relative absolute valid invalid missing existing large small wide narrow fast
  slow explicit implicit safe structured technical visual modern distinctive generic useful correct important typical
`);

export const verbs = list(`
  use read write create check load save open close add remove replace update review test run build render parse validate
  convert extract merge split select apply define describe explain compare measure choose keep avoid prefer include exclude
  send return store copy move rename format align scale rotate crop export import install configure start stop wait call
  handle catch report print show hide draw place group sort filter count repeat finish confirm ask answer follow match
`);

export const adverbs = list(`
  first then always never only usually carefully directly before later together again instead once explicitly exactly
`);

/** Words of licences; the generated licences have no legal meaning. */
export const terms = list(`
  license licensor licensee contribution contributor derivative work source object form copyright owner patent trademark
  warranty liability notice permission distribution reproduction modification recipient entity agreement condition claim
  litigation damages obligation jurisdiction provision attribution documentation software rights grant redistribution
`);
