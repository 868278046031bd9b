export const Logo = () => (
  <svg viewBox="0 0 64 64" className="size-7 shrink-0" aria-hidden="true">
    <rect width="64" height="64" rx="14" className="fill-accent" />
    <path
      d="M18 34.5 27.5 44 47 22"
      fill="none"
      className="stroke-on-accent"
      strokeWidth="6"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
    <path
      d="M18 22h14"
      fill="none"
      className="stroke-on-accent"
      strokeWidth="6"
      strokeLinecap="round"
      opacity="0.6"
    />
  </svg>
)
